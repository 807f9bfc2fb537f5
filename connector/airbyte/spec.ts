import connectionSpecification from "../../spec/connection.json" with { type: "json" };
import { messageLine } from "./messages.ts";
import type { Output } from "./output.ts";

const REPOSITORY = "https://github.com/survey-export/survey-export/blob/main";

/** Writes the form of the configuration. */
export async function spec(output: Output): Promise<void> {
  await output.write(
    messageLine({
      type: "SPEC",
      spec: {
        documentationUrl: `${REPOSITORY}/docs/airbyte.md`,
        changelogUrl: `${REPOSITORY}/CHANGELOG.md`,
        connectionSpecification,
        supportsIncremental: true,
      },
    }),
  );
}
