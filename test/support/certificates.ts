import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

const CONFIG = `
[ca]
default_ca = test
[test]
new_certs_dir = .
database = index
serial = serial
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
[req]
distinguished_name = name
[name]
`;

/** An authority of a test, in a folder of its own; every key is new and deleted with the folder. */
export function createAuthority(folder: string) {
  mkdirSync(folder, { recursive: true });
  const openssl = (...words: string[]): void => {
    execFileSync("openssl", words, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  };
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  writeFileSync(join(folder, "config"), CONFIG);
  writeFileSync(join(folder, "index"), "");
  writeFileSync(join(folder, "serial"), "01");
  openssl(
    "req",
    "-x509",
    "-config",
    "config",
    ...newKey,
    "-subj",
    "/CN=test",
    ...["-days", "30"],
    ...["-addext", "basicConstraints=critical,CA:TRUE"],
    ...["-keyout", "ca.key", "-out", "ca.pem"],
  );
  return {
    /** The file of the authority's own certificate. */
    file: join(folder, "ca.pem"),
    /** `alternative` like `IP:127.0.0.1`; dates like `20210101000000Z`. */
    issue(alternative: string, startDate = "20200101000000Z", endDate = "20990101000000Z"): Certificate {
      openssl(
        "req",
        "-config",
        "config",
        ...newKey,
        "-subj",
        "/CN=service",
        ...["-addext", `subjectAltName=${alternative}`],
        ...["-keyout", "service.key", "-out", "service.csr"],
      );
      openssl(
        "ca",
        "-batch",
        "-config",
        "config",
        "-cert",
        "ca.pem",
        "-keyfile",
        "ca.key",
        ...["-startdate", startDate, "-enddate", endDate],
        ...["-in", "service.csr", "-out", "service.pem"],
      );
      return {
        key: readFileSync(join(folder, "service.key")),
        cert: readFileSync(join(folder, "service.pem")),
      };
    },
  };
}
