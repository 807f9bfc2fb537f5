import fc from "fast-check";
import { timestampAt } from "../../../../support/list-service.ts";

/** Properties run so often; a failure prints the seed and path that repeat it. */
export const RUNS = { numRuns: Number(process.env.RUNS ?? 1000) };

/** A few timestamps a microsecond apart, so that edges meet often. */
export const place = fc.nat(30);
export const at = timestampAt;
/** Later than every timestamp here. */
export const PRESENT = timestampAt(3_600_000_000);
