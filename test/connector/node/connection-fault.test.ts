import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { checking, PAGE } from "./support/check.ts";

const { check, folder, portOf } = checking();
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

describe.runIf(hasOpenssl)("the service's certificate", () => {
  const file = folder.path("certificate.pem");
  const key = folder.path("key.pem");

  /** A service with a new certificate of its own, for a name like `DNS:example.com`. @returns its base URL */
  async function serve(name: string): Promise<string> {
    const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    const subject = ["-subj", "/CN=test", "-addext", `subjectAltName=${name}`, "-days", "30"];
    execFileSync("openssl", [...words, ...subject, "-keyout", key, "-out", file], { stdio: "ignore" });
    const options = { key: readFileSync(key), cert: readFileSync(file) };
    const port = await portOf(createHttpsServer(options, (_, response) => response.end(PAGE)));
    return `https://127.0.0.1:${port}/v2`;
  }

  it("is accepted if NODE_EXTRA_CA_CERTS names its authority, which the sentence without it says", async () => {
    const baseUrl = await serve("IP:127.0.0.1");
    expect(await check(baseUrl, { NODE_EXTRA_CA_CERTS: file })).toBe("SUCCEEDED");
    expect(await check(baseUrl)).toBe(
      "The service's certificate comes from an authority that Node.js does not know. If this machine trusts the certificate's authority, set NODE_USE_SYSTEM_CA=1; else name the authority's file in NODE_EXTRA_CA_CERTS.",
    );
  });

  it("of another host name is refused", async () => {
    expect(await check(await serve("DNS:elsewhere.example"), { NODE_EXTRA_CA_CERTS: file })).toBe(
      "The service's certificate is for another host name. Correct the host name in the base URL.",
    );
  });
});

it.each([
  ["another protocol", "SSH-2.0-OpenSSH_9\r\n", "does not match the HTTP/1.1 protocol"],
  [
    "endless headers",
    `HTTP/1.1 200 OK\r\nX: ${"a".repeat(100_000)}\r\n\r\n{}`,
    "(the answer's headers are too large; ",
  ],
])("an answer that is none is named: %s", async (_, answer, words) => {
  const port = await portOf(
    createServer((socket) => {
      socket.on("error", () => {}).once("data", () => socket.end(answer));
    }),
  );
  expect(await check(`http://127.0.0.1:${port}/v2`)).toContain(words);
});
