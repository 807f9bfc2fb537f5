#!/usr/bin/env node
/**
 * The program starts here. It checks the version of Node before any import, since an older Node would fail on the
 * import with an unclear message. So this file uses only syntax that every Node reads.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `source-survey-export needs Node.js 22.19 or later, and this is ${process.versions.node}. Install a newer Node.js, or use the Docker image.\n`,
  );
  process.exit(1);
}
// The compiled code is kept next to the program, if that folder can be written: the next start takes it from there.
process.getBuiltinModule("node:module").enableCompileCache(`${import.meta.dirname}/compile-cache`);
await import("./command-line.ts").then(({ run }) => run(process.argv.slice(2)));
