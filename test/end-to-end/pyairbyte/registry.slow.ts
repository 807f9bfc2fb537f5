import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { folderForTest } from "../../support/folder.ts";
import { pythonWith } from "../../support/virtual-environment.ts";

/**
 * Airbyte's own tools for its registry, and of the packages they need only those that the checks use: all of them take
 * minutes to install. The tools name an upper bound of Python's version, which the checks do not need.
 */
const PACKAGES = [
  ...["--no-deps", "--ignore-requires-python"],
  ...["airbyte-internal-ops==0.132.0", "airbyte-connector-models==0.1.12"],
  ...["annotated-types==0.8.0", "certifi==2026.10.19.post1", "charset-normalizer==3.5.3", "gitdb==4.0.12"],
  ...["GitPython==3.2.1", "idna==3.20", "Jinja2==3.1.6", "markdown-it-py==2.2.0", "MarkupSafe==3.0.4"],
  ...["mdurl==0.1.2", "pydantic==2.14.4", "pydantic-core==2.50.5", "pydash==7.0.7", "Pygments==2.21.0"],
  ...["PyYAML==6.0.4", "requests==2.34.2", "rich==13.9.4", "semver==3.1.2", "simpleeval==0.9.13"],
  ...[
    "smmap==5.0.3",
    "toml==0.10.2",
    "typing-extensions==4.16.0",
    "typing-inspection==0.4.5",
    "urllib3==2.8.0",
  ],
];

interface Connector {
  readonly metadata: string;
  /** The page that its metadata names. */
  readonly page: string;
  /** More files of its folder. */
  readonly files: readonly string[];
}

/** Puts our files where Airbyte's repository has them. There, a connector's page is on docs.airbyte.com. */
function layOut(folder: string, name: string, { metadata, page, files }: Connector): void {
  const connector = join(folder, "airbyte-integrations/connectors", name);
  const pages = join(folder, "docs/integrations/sources");
  for (const path of [connector, pages]) mkdirSync(path, { recursive: true });
  const url = `https://docs.airbyte.com/integrations/sources/${name}`;
  writeFileSync(
    join(connector, "metadata.yaml"),
    metadata.replace(/documentationUrl: .+/, `documentationUrl: ${url}`),
  );
  copyFileSync(page, join(pages, `${name}.md`));
  for (const file of files) copyFileSync(file, join(connector, basename(file)));
}

/** What applies to each connector. The other checks are of Python's and Java's, or of those that Airbyte certifies. */
const APPLY = [
  "validate_all_tags_are_keyvalue_pairs",
  "validate_at_least_one_language_tag",
  "validate_major_version_bump_has_breaking_change_entry",
  "validate_docs_path_exists",
  "validate_metadata_base_images_in_dockerhub",
  "validate_pypi_only_for_python",
  "validate_docker_image_tag_is_not_decremented",
  "validate_version_and_progressive_rollout_configuration",
  "validate_metadata",
  "CheckMigrationGuide",
  "CheckDocumentationExists",
  "CheckChangelogEntry",
  "CheckConnectorLanguageTag",
  "ValidateBreakingChangesDeadlines",
  "ValidateBreakingChangesDeadlineAction",
  "CheckConnectorLicense",
  "CheckVersionFollowsSemver",
  "CheckConnectorIconIsAvailable",
  "CheckConnectorUsesHTTPSOnly",
];
const APPLY_TO_MANIFEST = [
  ...APPLY,
  "CheckManifestOnlyConnectorBaseImage",
  "CheckConnectorUsesPythonBaseImage",
];

test("Airbyte's registry takes our metadata, icons and pages, except for what is open", () => {
  const folder = folderForTest().path();
  const own = readFileSync("connector/airbyte/metadata.yaml", "utf8");
  const manifest = readFileSync("manifest/metadata.yaml", "utf8");
  const source = { metadata: own, page: "docs/airbyte.md", files: ["connector/airbyte/icon.svg"] };
  layOut(folder, "source-survey-export", source);
  layOut(folder, "source-survey-export-manifest", {
    metadata: manifest,
    page: "manifest/README.md",
    files: ["manifest/icon.svg", "manifest/manifest.yaml"],
  });
  const wrong = own.replace("releaseStage: alpha", "releaseStage: new");
  layOut(folder, "source-wrong", { ...source, metadata: wrong, files: [] });

  const python = pythonWith("airbyte-registry", PACKAGES);
  const names = ["source-survey-export", "source-survey-export-manifest", "source-wrong"];
  const program = join(import.meta.dirname, "support/registry_checks.py");
  const printed = execFileSync(python, [program, ...names], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  const found: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(printed);
  const applied = (name: string) => Object.entries(found[name]!).filter(([, came]) => came !== "skipped");
  const failed = (name: string) => applied(name).filter(([, came]) => came !== "passed");

  expect(applied(names[0]!).map(([check]) => check)).toEqual(APPLY);
  expect(failed(names[0]!)).toEqual([
    // The checks know Python, Java and manifests, and we say that ours is TypeScript.
    ["CheckConnectorLanguageTag", "Could not infer the language tag from the connector directory"],
  ]);
  expect(
    applied(names[1]!)
      .map(([check]) => check)
      .toSorted(),
  ).toEqual(APPLY_TO_MANIFEST.toSorted());
  // Open, as metadata.yaml says. With the digest, nothing fails.
  const hasDigest = /baseImage: .+@sha256:/.test(manifest);
  expect(failed(names[1]!)).toEqual(
    hasDigest
      ? []
      : [
          [
            "validate_metadata_base_images_in_dockerhub",
            expect.stringContaining("is not in the format <image>:<tag>@<sha>"),
          ],
        ],
  );
  expect(Object.fromEntries(failed(names[2]!))).toMatchObject({
    validate_docs_path_exists: expect.stringContaining("releaseStage"),
    CheckConnectorIconIsAvailable: expect.stringContaining("Icon file is missing"),
  });
});
