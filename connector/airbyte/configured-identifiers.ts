/** Why an entry is not a survey's identifier that can be part of a path; undefined if it can. */
export function surveyIdProblem(id: string): string | undefined {
  if (id.trim() === "") return "is empty. Give the survey's identifier, or remove the entry.";
  // Every way to write "." and ".." as a path segment is dropped from the path.
  const isLost = id === "." || id === ".." || !id.isWellFormed();
  return slipIn(id) ?? (isLost ? "cannot be part of a URL. Copy the survey's identifier again." : undefined);
}

/** What is wrong with an entry that is not a UUID. */
export function uuidProblem(text: string): string {
  return slipIn(text) ?? "is not a UUID. Write it like 6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10.";
}

/** Why an entry is not the name of an attribute; undefined if it is one. */
export function attributeProblem(name: string): string | undefined {
  if (name !== "" && name.isWellFormed()) return undefined;
  return "is not a name. Write it as it was set, or remove the entry.";
}

/** What went wrong when an identifier was pasted. The service would only say that it does not know it. */
function slipIn(id: string): string | undefined {
  if (id.includes(",")) return "holds a comma. Write each identifier as an entry of its own.";
  return id.trim() === id ? undefined : "begins or ends with white space. Remove it.";
}
