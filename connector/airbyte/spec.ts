import connectionSpecification from "../../spec/connection.json" with { type: "json" };
import type { MessageWriter } from "./message-writer.ts";

const REPOSITORY = "https://github.com/survey-export/survey-export/blob/main";

/** Writes the form of the configuration. */
export async function spec(writer: MessageWriter): Promise<void> {
  await writer.write({
    type: "SPEC",
    spec: {
      documentationUrl: `${REPOSITORY}/docs/airbyte.md`,
      changelogUrl: `${REPOSITORY}/CHANGELOG.md`,
      connectionSpecification,
      supportsIncremental: true,
    },
  });
}
