import { type Figure, median, type Size } from "./figure.ts";
import { bundled, run, startRemote } from "./program.ts";
import { survey } from "./survey.ts";

const TARGET = 1 + 1 / 3;
const SIZES: Readonly<Record<Size, { surveys: number; pages: number; rounds: number }>> = {
  full: { surveys: 20, pages: 50, rounds: 7 },
  quick: { surveys: 20, pages: 25, rounds: 2 },
  tiny: { surveys: 5, pages: 2, rounds: 1 },
};

/** CPU seconds with every kind of personal data hashed (or omitted) over those of a read that keeps everything. */
export const privacy: Figure = {
  name: "privacy",
  about: "CPU seconds with all personal data hashed / kept, same pages, real socket",
  async measure(size) {
    const { surveys, pages, rounds } = SIZES[size];
    const ids = Array.from({ length: surveys }, (_, number) => String(number + 1));
    const [sandboxProgram = "", ours = ""] = await bundled("sandbox", "ours");
    const options = { surveys: ids.map((id) => survey(id, pages * 100)), limits: false, cachePages: true };
    const sandbox = await startRemote(sandboxProgram, options);
    const secondsOf = async (handling: string): Promise<number> => {
      const words = [sandbox.url, sandbox.apiKey, "survey_responses", handling, ...ids];
      return (await run(ours, words)).usage.cpuSeconds;
    };
    await secondsOf("keep");
    const rows = [];
    for (const handling of ["hash", "omit"]) {
      const shares: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const kept = await secondsOf("keep");
        shares.push((await secondsOf(handling)) / kept);
      }
      const share = median(shares);
      rows.push({
        figure: `CPU with all personal data ${handling === "hash" ? "hashed" : "omitted"} / kept, ${(surveys * pages).toLocaleString("en")} pages, median of ${rounds}`,
        target: `≤ ${TARGET.toFixed(2)}`,
        measured: share.toFixed(2),
        met: share <= TARGET,
        kind: "real" as const,
      });
    }
    await sandbox.close();
    const notes = [
      "privacy: respondents differ and answers repeat in these pages; a text that repeats is hashed once. Each text that does not repeat costs one HMAC-SHA-256.",
    ];
    return { rows, notes };
  },
};
