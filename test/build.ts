import { execFileSync } from "node:child_process";

/** The tests that run the real bin run what the sources say now. */
export default function build(): void {
  execFileSync(process.execPath, ["scripts/build.ts"], { stdio: "inherit" });
}
