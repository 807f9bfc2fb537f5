/**
 * The physical limit: a program that knows where each page begins before it starts, reads five pages at once, and
 * writes what came. No checks, no retries, no limits, no state. Arguments: base URL, key, and a file with one path in
 * each line.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Pool } from "undici";

const [baseUrl = "", key = "", file = ""] = process.argv.slice(2);
const { origin, pathname } = new URL(baseUrl);
const pool = new Pool(origin, { connections: 5 });
const headers = { authorization: `Basic ${key}`, "accept-encoding": "gzip" };
const inflate = promisify(gunzip);
const paths = readFileSync(file, "utf8").split("\n");

async function work() {
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const answer = await pool.request({ path: pathname + path, method: "GET", headers });
    const bytes = await answer.body.bytes();
    const isZipped = answer.headers["content-encoding"] === "gzip";
    const { data } = JSON.parse(String(isZipped ? await inflate(bytes) : bytes));
    let lines = "";
    for (const { survey, response } of data) {
      const record = { stream: "survey_responses", data: { ...response, survey_id: survey.id } };
      lines += `${JSON.stringify({ type: "RECORD", record })}\n`;
    }
    if (!process.stdout.write(lines)) await once(process.stdout, "drain");
  }
}

await Promise.all([work(), work(), work(), work(), work()]);
await pool.close();
