import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../sandbox", import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const sources = files.map((name) => [name, readFileSync(join(root, name), "utf8")] as const);

const imports = (text: string): string[] =>
  [...text.matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g)].map((m) => m[1] ?? m[2]!);

/** Files that may use sockets, files, timers and the machine's time: the server, the command, and their parts. */
const OUTER = ["main.ts", "ready-files.ts", "greeting.ts", "server/", "page/document.ts", "page/script.ts"];

describe("the sandbox's sources", () => {
  it("import nothing but themselves and Node: no code of the connector, no package", () => {
    expect(files.length).toBeGreaterThan(30);
    for (const [name, text] of sources) {
      for (const from of imports(text)) {
        const inside =
          from.startsWith(".") && !relative(root, resolve(root, name, "..", from)).startsWith("..");
        expect(inside || from.startsWith("node:"), `${name} imports ${from}`).toBe(true);
      }
    }
  });

  it("use no time except the clock's and no randomness except the seed's, outside the server and the command", () => {
    const ambient =
      /Date\.now|new Date\(\)|Math\.random|setTimeout|setInterval|performance|(?<![-\w])process\.\w|"node:/;
    for (const [name, text] of sources) {
      if (OUTER.some((head) => name.startsWith(head))) continue;
      expect(ambient.exec(text)?.[0], name).toBeUndefined();
    }
    expect(sources.some(([, text]) => ambient.test(text))).toBe(true);
  });
});
