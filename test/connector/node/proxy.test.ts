import { createServer } from "node:http";
import { beforeEach, expect, it } from "vitest";
import { freePort } from "../../support/server.ts";
import { checking, KEY, PAGE } from "./support/check.ts";

const { check, portOf } = checking();
const HTTP = "http://surveys.internal/v2";
const HTTPS = "https://api.example.com/v2";

/** A proxy that answers requests itself, and CONNECT with a status. It keeps what it was told. */
let address: string;
let status: string;
let seen: string[];
beforeEach(async () => {
  status = "502 Bad Gateway";
  seen = [];
  const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.end(PAGE);
  });
  proxy.on("connect", ({ url, headers }, socket) => {
    seen.push(`CONNECT ${url} ${headers.authorization ?? "without a key"}`);
    socket.end(`HTTP/1.1 ${status}\r\n\r\n`);
  });
  address = `127.0.0.1:${await portOf(proxy)}`;
});

it.each(["http://", ""])("HTTP_PROXY is used for http (with %j before its address)", async (scheme) => {
  expect(await check(HTTP, { HTTP_PROXY: scheme + address })).toBe("SUCCEEDED");
  expect(seen).toEqual([`GET ${HTTP}/surveys/a/responses?items_per_page=1 Basic ${KEY}`]);
});

it("HTTPS_PROXY is used for https: it is told the host and never the key", async () => {
  expect(await check(HTTPS, { HTTPS_PROXY: `http://${address}` })).toContain(
    "the proxy that HTTPS_PROXY names could not reach the service, status 502",
  );
  expect(new Set(seen)).toEqual(new Set(["CONNECT api.example.com:443 without a key"]));
});

it("a proxy that refuses is named, with what helps", async () => {
  status = "407 Proxy Authentication Required";
  expect(await check(HTTPS, { HTTPS_PROXY: `http://${address}` })).toBe(
    "The proxy that HTTPS_PROXY names refuses to connect to the service (status 407). Check the user name and the password in HTTPS_PROXY, allow the service's host there, or name it in NO_PROXY.",
  );
});

it.each([HTTP, HTTPS])("a proxy that is down is named: %s", async (baseUrl) => {
  expect(await check(baseUrl, { HTTP_PROXY: `http://127.0.0.1:${await freePort()}` })).toContain(
    "connection refused, and the proxy that HTTP_PROXY names may be the cause",
  );
});

it.each([
  "http://",
  "ftp://proxy.example.com",
  "http://proxy:99999",
  "http://user:s3cret@",
  "http://user:s3cr%zz@127.0.0.1:8447",
])("an address that is none is refused without showing it: %s", async (HTTPS_PROXY) => {
  expect(await check(HTTPS, { HTTPS_PROXY })).toBe(
    "The environment variable HTTPS_PROXY is not a proxy's address. Write it like http://user:password@proxy.example.com:3128, with each % of the password as %25, or remove it.",
  );
});

it("no proxy is asked for the hosts of NO_PROXY", async () => {
  const port = await portOf(createServer());
  const env = { HTTPS_PROXY: `http://${address}`, no_proxy: "0.0.0.0" };
  expect(await check(`https://0.0.0.0:${port}/v2`, env)).toMatch(
    /^The service does not answer with https at this port\./,
  );
  expect(seen).toEqual([]);
});

it.each(["127.0.0.1", "localhost"])("no proxy is asked for this machine itself: %s", async (host) => {
  const port = await portOf(createServer((_, response) => response.end(PAGE)));
  expect(await check(`http://${host}:${port}/v2`, { HTTP_PROXY: `http://${address}` })).toBe("SUCCEEDED");
  expect(seen).toEqual([]);
});
