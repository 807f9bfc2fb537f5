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

/** A service that says this to whatever it is asked. @returns its base URL */
async function serveRaw(answer: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.end(answer));
  });
  return `http://127.0.0.1:${await portOf(server)}/v2`;
}

it("an answer in another protocol is named", async () => {
  expect(await check(await serveRaw("SSH-2.0-OpenSSH_9\r\n"))).toContain(
    "does not match the HTTP/1.1 protocol",
  );
});

it("headers longer than Node.js allows are read with the setting that the sentence names", async () => {
  const header = `X: ${"a".repeat(20_000)}`;
  const baseUrl = await serveRaw(
    `HTTP/1.1 200 OK\r\n${header}\r\nContent-Length: ${PAGE.length}\r\n\r\n${PAGE}`,
  );
  expect(await check(baseUrl, { NODE_OPTIONS: "--max-http-header-size=65536" })).toBe("SUCCEEDED");
  expect(await check(baseUrl)).toBe(
    "The headers of the service's answer are longer than Node.js allows, which is 16 KB by default. Set NODE_OPTIONS=--max-http-header-size=65536. If that is not enough, report the headers to the service.",
  );
});
