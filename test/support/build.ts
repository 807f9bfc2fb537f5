import { execFileSync } from "node:child_process";

/** Builds the program first, so that the tests of programs run the sources as they are now. */
export default function build(): void {
  execFileSync(process.execPath, ["scripts/build.ts"], { stdio: "inherit" });
}
