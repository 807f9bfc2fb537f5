import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** The folders of the npm packages that have code in a bundle, below the folder that was built in. */
export function bundledPackages({ outputs }: Pick<Metafile, "outputs">): string[] {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const folders = files.flatMap((path) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/**
 * The licence texts of every npm package that has code in a bundle, as one text.
 * @throws if a package has no licence file, because we may not ship its code without the text.
 */
export async function thirdPartyLicenses(root: string, metafile: Pick<Metafile, "outputs">): Promise<string> {
  const rule = "=".repeat(80);
  const parts = await Promise.all(
    bundledPackages(metafile).map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(root, folder, "package.json"), "utf8"),
      );
      const files = (await readdir(join(root, folder))).filter((file) =>
        /^(licen[cs]e|notice|copying)\b/i.test(file),
      );
      if (!files.some((file) => !/^notice/i.test(file))) {
        throw new Error(`${folder} is in the bundle and has no licence file. Add its licence text by hand.`);
      }
      const texts = await Promise.all(files.sort().map((file) => readFile(join(root, folder, file), "utf8")));
      return `${rule}\n${name} ${version} (${license})\n${rule}\n\n${texts.map((text) => text.trim()).join("\n\n")}\n`;
    }),
  );
  return `This program contains code of the packages below. Their licences apply to that code.\n\n${parts.join("\n")}`;
}
