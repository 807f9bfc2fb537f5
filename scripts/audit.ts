/**
 * `npm audit` over what runs in production. Fails on a finding that is not explained here. A registry without the
 * audit service (some mirrors) is told, not taken for a clean bill.
 */
import { spawnSync } from "node:child_process";

/** Advisories that do not touch us, by number, each with the reason. */
const EXPLAINED: Readonly<Record<string, string>> = {};

interface Report {
  readonly error?: { readonly summary?: string };
  readonly message?: string;
  readonly vulnerabilities?: Readonly<
    Record<
      string,
      { readonly via: readonly (string | { readonly source: number; readonly title: string })[] }
    >
  >;
}

const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--workspaces=false", "--json"], {
  encoding: "utf8",
});
const report: Report = JSON.parse(stdout || "{}");
if (report.vulnerabilities === undefined) {
  process.stdout.write(
    `Not audited: the registry did not answer (${report.error?.summary || report.message || "no report"}). Run this where it does.\n`,
  );
} else {
  const findings = Object.entries(report.vulnerabilities).flatMap(([name, { via }]) =>
    via.flatMap((cause) => (typeof cause === "string" ? [] : [{ name, ...cause }])),
  );
  const open = findings.filter(({ source }) => EXPLAINED[source] === undefined);
  for (const { name, title, source } of open) process.stdout.write(`${name}: ${title} (${source})\n`);
  process.stdout.write(`Audited: ${findings.length} findings, ${open.length} of them open.\n`);
  if (open.length > 0) process.exitCode = 1;
}
