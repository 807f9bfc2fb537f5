import { expect, it } from "vitest";
import {
  ConnectionFault,
  connectionFaultOf,
  reasonOf,
} from "../../../../connector/core/client/connection-faults.ts";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import { render } from "../../../../connector/core/text/message.ts";

it.each([
  ["ECONNREFUSED", "connection refused"],
  ["ENOTFOUND", "the host name is unknown"],
  ["ECONNRESET", "the connection was cut"],
  ["HPE_INVALID", "the answer is not HTTP"],
  ["ERR_SSL_BAD_RECORD", "no secure connection is possible (ERR_SSL_BAD_RECORD)"],
])("%s may pass, and is told in plain words", (code, words) => {
  const fault = connectionFaultOf(["?", code], undefined);
  expect(fault).toBeInstanceOf(ConnectionFault);
  expect(render(reasonOf(fault))).toBe(words);
});

it.each([
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    "The service's certificate comes from an authority that Node.js does not know.",
  ],
  ["EPROTO", "The service does not answer with https at this port."],
  [
    "HPE_HEADER_OVERFLOW",
    "The headers of the service's answer are longer than Node.js allows, which is 16 KB by default.",
  ],
  ["CERT_OF_TOMORROW", "The service's certificate was not accepted (CERT_OF_TOMORROW)."],
])("%s is final for the whole run, since waiting does not help", (code, facts) => {
  // Also together with a code of something that may pass.
  const fault = connectionFaultOf(["ECONNRESET", code], undefined) as SurveyExportError;
  expect(fault).toBeInstanceOf(SurveyExportError);
  expect(fault).toMatchObject({ kind: "config", code: "no_answer", scope: "run" });
  expect(render(fault.facts)).toBe(facts);
});

it("what no code tells is quoted from the thrown error", () => {
  expect(connectionFaultOf(["E_OTHER"], undefined)).toBeUndefined();
  expect(render(reasonOf(new Error("odd")))).toBe('"odd"');
  expect(render(reasonOf("odd"))).toBe('"odd"');
});
