/**
 * `npm run audit`: `npm audit` over the packages that the npm package contains, the demo's among them. Fails on an advisory that is not explained
 * here, and if the audit did not take place. Only a registry without this service (some mirrors) is excused, with a
 * note; with SURVEY_EXPORT_AUDIT=required, as in the hosted workflows, that fails too.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { packagesNamedIn } from "../tools/release/third-party-licenses.ts";

/** Advisories that do not affect us, by number, each with the reason. */
const EXPLAINED: Readonly<Record<string, string>> = {};

/** The answers of a registry that has no audit service. */
const NO_SUCH_SERVICE: readonly (number | undefined)[] = [404, 405, 501];

interface Report {
  readonly statusCode?: number;
  readonly error?: { readonly summary?: string };
  readonly message?: string;
  readonly vulnerabilities?: Readonly<
    Record<
      string,
      { readonly via: readonly (string | { readonly source: number; readonly title: string })[] }
    >
  >;
}

const { stdout } = spawnSync("npm", ["audit", "--workspaces=false", "--json"], {
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
});
const report: Report = JSON.parse(stdout || "{}");
if (report.vulnerabilities === undefined) {
  const excused =
    NO_SUCH_SERVICE.includes(report.statusCode) && process.env.SURVEY_EXPORT_AUDIT !== "required";
  process.stdout.write(
    `Not audited: the registry gave no report (${report.message || report.error?.summary || "no answer"}). Run this with a registry that audits.\n`,
  );
  if (!excused) process.exitCode = 1;
} else {
  const licenses = readFileSync(new URL("../dist/THIRD-PARTY-LICENSES.txt", import.meta.url), "utf8");
  const contained = new Set(packagesNamedIn(licenses).map((each) => each.slice(0, each.lastIndexOf("@"))));
  const reported = Object.entries(report.vulnerabilities).filter(([name]) => contained.has(name));
  const findings = reported.flatMap(([name, { via }]) =>
    via.flatMap((cause) => (typeof cause === "string" ? [] : [{ name, ...cause }])),
  );
  const open = findings.filter(({ source }) => EXPLAINED[source] === undefined);
  for (const { name, title, source } of open) process.stdout.write(`${name}: ${title} (${source})\n`);
  process.stdout.write(`Audited: ${findings.length} findings, ${open.length} of them open.\n`);
  if (open.length > 0) process.exitCode = 1;
}
