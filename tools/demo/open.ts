import { spawn } from "node:child_process";
import { resolve } from "node:path";

/** Opens a file in the browser of whoever sits here. Does nothing if there is no browser, or nobody. */
export function openInBrowser(file: string): void {
  const { platform, env } = process;
  if (env.CI || (platform === "linux" && !env.DISPLAY && !env.WAYLAND_DISPLAY)) return;
  const opener = platform === "darwin" ? "open" : platform === "win32" ? "explorer" : "xdg-open";
  const child = spawn(opener, [resolve(file)], { stdio: "ignore", detached: true });
  child.on("error", () => {}); // The path stands on the last line.
  child.unref();
}
