import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Prints the platform of DuckDB as its folders name it, such as linux_amd64. */
const PLATFORM = "import duckdb; print(duckdb.sql('pragma platform').fetchone()[0])";

/**
 * Puts the extensions of DuckDB that a Python has as packages (`duckdb-extension-…`) to the place below this home folder
 * from which DuckDB loads them. Otherwise it downloads them when a statement first needs them, which no test may do.
 */
export function placeExtensions(python: string, home: string): void {
  const platform = execFileSync(python, ["-c", PLATFORM], { encoding: "utf8" }).trim();
  const packages = join(dirname(python), "../lib/python*/site-packages/duckdb_extension_*");
  const files = globSync(join(packages, "extensions/*/*.duckdb_extension"));
  if (files.length === 0) throw new Error(`${python} has no package of an extension.`);
  for (const file of files) {
    const version = basename(dirname(file));
    const folder = join(home, ".duckdb/extensions", version, platform);
    mkdirSync(folder, { recursive: true });
    symlinkSync(file, join(folder, basename(file)));
  }
}
