import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const project = join(import.meta.dirname, "../../../..");
const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** The name by which the examples start the image. */
export const IMAGE = `ghcr.io/survey-export/source-survey-export:${version}`;
/** What the examples start besides, which the image is made of. */
const NODE_IMAGE = "docker.io/library/node:24-slim";

/** A container engine of these tests alone, which holds the project's image under the name that the examples use. */
export interface Podman {
  /** For programs that call `podman`, and for those that speak Docker's API. */
  readonly env: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/**
 * Podman, with its images in the user's cache folder, serving Docker's API on a socket.
 * @throws if there is no Podman, since an example that was not run is not one that works.
 */
export async function startPodman(): Promise<Podman> {
  if (spawnSync("podman", ["--version"]).status !== 0)
    throw new Error("Podman is needed here. On Debian: apt-get install podman buildah runc");
  const folder = mkdtempSync(join(tmpdir(), "podman-"));
  const socket = join(folder, "podman.sock");
  const env = { ...process.env, ...settings(folder), DOCKER_HOST: `unix://${socket}` };
  loadImage(folder, { ...env, DOCKER_HOST: undefined });
  const words = ["system", "service", "--time=0", env.DOCKER_HOST];
  const service = spawn("podman", words, { env: { ...env, DOCKER_HOST: undefined }, stdio: "ignore" });
  while (!existsSync(socket)) await sleep(20);
  return {
    env,
    async close() {
      service.kill();
      if (service.exitCode === null && service.signalCode === null) await once(service, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Settings that need no systemd and no more rights than this process has. */
function settings(folder: string): NodeJS.ProcessEnv {
  const kept = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "survey-export", "podman");
  mkdirSync(kept, { recursive: true });
  const limit = execFileSync("sh", ["-c", "ulimit -Hn"], { encoding: "utf8" }).trim();
  const files = limit.replace("unlimited", "1048576");
  const [CONTAINERS_CONF, CONTAINERS_STORAGE_CONF] = [join(folder, "containers"), join(folder, "storage")];
  writeFileSync(
    CONTAINERS_CONF,
    `[containers]
default_ulimits = ["nofile=${files}:${files}", "nproc=4096:4096"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "${folder}/libpod"
`,
  );
  writeFileSync(
    CONTAINERS_STORAGE_CONF,
    `[storage]\ndriver = "overlay"\ngraphroot = "${kept}/storage"\nrunroot = "${kept}/run"\n`,
  );
  return { CONTAINERS_CONF, CONTAINERS_STORAGE_CONF };
}

/**
 * Builds the project's image. If SURVEY_EXPORT_CONTAINER_TOOL names a program that builds it
 * (`test/end-to-end/image/image.slow.ts` says how it is called), its files are taken over from there.
 */
function loadImage(folder: string, env: NodeJS.ProcessEnv): void {
  const podman = (...words: string[]) => execFileSync("podman", words, { env, stdio: "pipe" });
  const tool = process.env.SURVEY_EXPORT_CONTAINER_TOOL;
  if (!tool) {
    podman("build", "--tag", IMAGE, project);
    return;
  }
  const tag = "localhost/source-survey-export:examples";
  execFileSync(tool, ["-b", "-q", "-t", tag, project], { stdio: "pipe" });
  const flags = ["-r", "--user=0:0", "-r", "--entrypoint=/bin/tar"];
  const without = ["proc", "sys", "dev", "run"].map((name) => `--exclude=./${name}/*`);
  const tar = ["-n", "-t", tag, ...flags, project, "-C", "/", ...without, "-c", "."];
  const files = join(folder, "files.tar");
  writeFileSync(files, execFileSync(tool, tar, { maxBuffer: 1 << 30 }));
  const dockerfile = readFileSync(join(project, "Dockerfile"), "utf8");
  const lines = dockerfile.match(/^(?:USER|ENV|ENTRYPOINT) .+$/gm) ?? [];
  podman("import", ...lines.flatMap((line) => ["--change", line]), files, IMAGE);
  podman("import", files, NODE_IMAGE);
  podman("image", "prune", "--force");
  rmSync(files);
}
