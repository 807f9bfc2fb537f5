import { execFile } from "node:child_process";

/** The configured catalog that the source at `program` prints, or an error with a sentence that says why there is none. */
export function sourceCatalog(program: string, config: string): Promise<string | Error> {
  const args = [program, "catalog", "--config", config];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      if (error === null && stdout !== "") resolve(stdout);
      else resolve(new Error(`The source at ${program} did not print its catalog. Run npm run build first.`));
    });
  });
}
