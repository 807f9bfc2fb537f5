import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { createTransport } from "../../../connector/node/transport.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { serverForTest } from "../../support/server.ts";
import { describeTransport } from "../../support/transport-contract.ts";

describeTransport("the command line (undici)", createTransport);

it("says who it is, and asks for gzip alone", async () => {
  const seen: unknown[] = [];
  const server = await serverForTest((request, response) => {
    seen.push(request.headers);
    response.end("{}");
  });
  await createTransport({ apiKey: "key-1234" })({ url: `${server.origin}/v2/a` });
  expect(seen).toEqual([
    expect.objectContaining({
      "accept-encoding": "gzip",
      "user-agent": `survey-export/${packageJson.version} (+${packageJson.homepage})`,
    }),
  ]);
});

it.each<[string, Buffer, string]>([
  ["br", Buffer.from("{}"), 'is in the encoding "br", and only gzip was asked for'],
  ["gzip", Buffer.from("{}"), "is not valid gzip"],
  ["gzip", gzipSync(Buffer.from([0x22, 0xfe, 0xff, 0x22])), "is not UTF-8"],
])(
  "refuses a page that cannot be read, in the encoding %j, and passes a refusal on",
  async (encoding, body, message) => {
    let status = 200;
    const server = await serverForTest((_, response) => {
      response.writeHead(status, { "Content-Encoding": encoding }).end(body);
    });
    const transport = createTransport({ apiKey: "key-1234" });
    const request = { url: `${server.origin}/v2/a` };
    await expect(transport(request)).rejects.toMatchObject({ code: "broken_answer", message });
    status = 503;
    expect(await transport(request)).toMatchObject({ status: 503, body: "" });
  },
);

it("refuses a body of more than 16 MB once it is unpacked", async () => {
  const packed = gzipSync(Buffer.alloc(17 * 1024 * 1024));
  const server = await serverForTest((_, response) => {
    response.writeHead(200, { "Content-Encoding": "gzip" }).end(packed);
  });
  const asked = createTransport({ apiKey: "key-1234" })({ url: `${server.origin}/v2/a` });
  await expect(asked).rejects.toMatchObject({ code: "too_large" });
});

it("hands on answers that came together in turns of their own: no next request waits for the work on all", async () => {
  const waiting: (() => void)[] = [];
  const server = await serverForTest((_, response) => {
    waiting.push(() => response.end("{}"));
    if (waiting.length === 3) for (const answer of waiting) answer();
  });
  const transport = createTransport({ apiKey: "key-1234" });
  let turn = 0;
  const count = (): void => {
    turn++;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const turns = ["a", "b", "c"].map((id) => transport({ url: `${server.origin}/v2/${id}` }).then(() => turn));
  expect(new Set(await Promise.all(turns)).size).toBe(3);
  clearImmediate(counting);
});
