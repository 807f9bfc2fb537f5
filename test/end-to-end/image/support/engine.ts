import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../../../../", import.meta.url));
const tag = "localhost/source-survey-export:test";

/** A run of the image. Everything but the arguments may be left out. */
export interface Run {
  readonly args: readonly string[];
  /** Folders of this machine, by where they are mounted, to read only. */
  readonly folders?: Readonly<Record<string, string>>;
  /** Such folders to write to. */
  readonly writable?: Readonly<Record<string, string>>;
  /** Further flags of `docker run`, one word each. */
  readonly flags?: readonly string[];
}

/** What builds and runs the project's Dockerfile. Containers share this machine's network. */
export interface Engine {
  build(): void;
  /** Signals to the process reach the container's first process, whose exit code it passes on. */
  run(run: Run): ChildProcessWithoutNullStreams;
}

/**
 * The engine of this machine: the program that SURVEY_EXPORT_CONTAINER_TOOL names, else Docker.
 *
 * Such a program is called `TOOL -b -q -t TAG PROJECT` to build, and `TOOL -n -t TAG -v SOURCE:TARGET:ro
 * -r FLAG PROJECT ARGS…` to run, each FLAG being one of `docker run`.
 *
 * @throws if there is neither, since an image that was not tried is not one that works.
 */
export function findEngine(): Engine {
  const tool = process.env.SURVEY_EXPORT_CONTAINER_TOOL;
  if (tool !== undefined && tool !== "") return toolEngine(tool);
  if (spawnSync("docker", ["info"], { stdio: "ignore" }).status === 0) return dockerEngine();
  throw new Error(
    "There is nothing here to run an image with. Start Docker, or let SURVEY_EXPORT_CONTAINER_TOOL name a " +
      "program that builds and runs a Dockerfile.",
  );
}

function toolEngine(tool: string): Engine {
  return {
    build: () => void execFileSync(tool, ["-b", "-q", "-t", tag, project], { stdio: "pipe" }),
    run: ({ args, folders, writable, flags = [] }) =>
      spawn(tool, [
        ...["-n", "-t", tag],
        ...mounts("-v", folders, ":ro"),
        ...mounts("-v", writable, ""),
        ...flags.flatMap((flag) => ["-r", flag]),
        project,
        ...args,
      ]),
  };
}

function dockerEngine(): Engine {
  return {
    build: () => void execFileSync("docker", ["build", "--tag", tag, project], { stdio: "pipe" }),
    run: ({ args, folders, writable, flags = [] }) =>
      spawn("docker", [
        ...["run", "--rm", "--interactive", "--network", "host"],
        ...mounts("--volume", folders, ":ro"),
        ...mounts("--volume", writable, ""),
        ...flags,
        tag,
        ...args,
      ]),
  };
}

function mounts(flag: string, folders: Run["folders"] = {}, end = ""): string[] {
  return Object.entries(folders).flatMap(([target, source]) => [flag, `${source}:${target}${end}`]);
}
