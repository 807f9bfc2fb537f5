/**
 * `npm run soak`: the built program, as a process, against the sandbox over a real socket, with random faults, people
 * who answer meanwhile, kills, closed pipes and slow readers; at the end of each round everything must have arrived.
 * Exits 1 when anything was lost or went otherwise than it should. The same seed disturbs in the same way; the
 * moments at which it strikes are the machine's.
 */
import { parseArgs } from "node:util";
import { round, type Tally } from "../test/model/support/soak.ts";
import { Folder } from "../test/support/folder.ts";
import { randomFrom } from "../test/support/host.ts";

const { values } = parseArgs({ options: { minutes: { type: "string" }, seed: { type: "string" } } });
const minutes = Number(values.minutes ?? 10);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write("Usage: npm run soak -- [--minutes 10] [--seed 1]\n");
  process.exit(2);
}

const folder = new Folder();
const random = randomFrom(seed);
const beganMs = Date.now();
const untilMs = beganMs + minutes * 60_000;
const tally: Tally = {
  syncs: 0,
  slowReaders: 0,
  faults: 0,
  records: 0,
  lost: 0,
  repeatsAfterKills: 0,
  kills: { SIGKILL: 0, SIGTERM: 0, closed_stdout: 0 },
  problems: [],
};
process.stdout.write(`soak: seed ${seed}, ${minutes} minutes\n`);
let rounds = 0;
try {
  while (Date.now() < untilMs && tally.problems.length === 0) {
    await round(random, folder, untilMs, tally);
    rounds++;
    const seconds = Math.round((Date.now() - beganMs) / 1000);
    process.stdout.write(
      `round ${rounds}, ${seconds} s: ${JSON.stringify({ ...tally, problems: tally.problems.length })}\n`,
    );
  }
} catch (thrown) {
  tally.problems.push(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
} finally {
  folder.remove();
}
for (const problem of tally.problems) process.stdout.write(`PROBLEM: ${problem}\n`);
const { SIGKILL, SIGTERM, closed_stdout: closed } = tally.kills;
const kills = SIGKILL + SIGTERM + closed;
process.stdout.write(
  `soak: seed ${seed}, ${((Date.now() - beganMs) / 60_000).toFixed(1)} min: ${tally.syncs} syncs, ${kills} kills (${SIGKILL} SIGKILL, ${SIGTERM} SIGTERM, ${closed} closed stdout), ${tally.slowReaders} slow readers, ${tally.faults} faults, ${tally.records} records, ${tally.lost} lost, ${kills === 0 ? 0 : Math.round(tally.repeatsAfterKills / kills)} repeats for each kill\n`,
);
process.exit(tally.problems.length > 0 || tally.lost > 0 ? 1 : 0);
