import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";

const project = join(import.meta.dirname, "../../../..");
const tag = "localhost/source-survey-export:test";
/**
 * A program that builds and runs a Dockerfile in the place of Docker. It is called `TOOL -b -q -t TAG PROJECT` to build,
 * and `TOOL -n -t TAG -v SOURCE:TARGET -r FLAG PROJECT ARGS…` to run, each FLAG being one of `docker run`.
 */
const tool = process.env.SURVEY_EXPORT_CONTAINER_TOOL;

/** @throws without an engine, since an image that was not tried is not one that works */
export function buildImage(): void {
  if (!tool && spawnSync("docker", ["info"], { stdio: "ignore" }).status !== 0) {
    throw new Error(
      "There is nothing here to run an image with. Start Docker, or let SURVEY_EXPORT_CONTAINER_TOOL name a program that builds and runs a Dockerfile.",
    );
  }
  if (tool) execFileSync(tool, ["-b", "-q", "-t", tag, project], { stdio: "pipe" });
  else execFileSync("docker", ["build", "--tag", tag, project], { stdio: "pipe" });
}

/** A run of the image. Its container shares this machine's network. */
export interface Run {
  readonly args: readonly string[];
  /** Folders and files of this machine, each as `SOURCE:TARGET`. */
  readonly folders?: readonly string[];
  /** Further flags of `docker run`, one word each. */
  readonly flags?: readonly string[];
}

/**
 * The program that runs the image, and its words. Signals to the process reach the container's first process, whose exit
 * code it passes on.
 */
export function commandOf({ args, folders = [], flags = [] }: Run): [string, string[]] {
  const mounts = folders.flatMap((folder) => ["-v", folder]);
  if (!tool) {
    const always = ["run", "--rm", "--interactive", "--network", "host"];
    return ["docker", [...always, ...mounts, ...flags, tag, ...args]];
  }
  const passed = flags.flatMap((flag) => ["-r", flag]);
  return [tool, ["-n", "-t", tag, ...mounts, ...passed, project, ...args]];
}
