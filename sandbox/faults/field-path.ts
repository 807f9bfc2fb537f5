/** A mutable JSON object. */
export type JsonObject = Record<string, unknown>;

/** Sets a field by dotted path. Has no effect if there is no object on the way. */
export function setAt(object: JsonObject, path: string, value: unknown): void {
  const [holder, field] = holderOf(object, path);
  if (holder !== undefined) holder[field] = value;
}

/** Removes a field by dotted path. */
export function dropAt(object: JsonObject, path: string): void {
  const [holder, field] = holderOf(object, path);
  if (holder !== undefined) delete holder[field];
}

/** The value at a dotted path, or undefined. */
export function getAt(object: JsonObject, path: string): unknown {
  const [holder, field] = holderOf(object, path);
  return holder?.[field];
}

function holderOf(object: JsonObject, path: string): [JsonObject | undefined, string] {
  const steps = path.split(".");
  const field = steps.pop()!;
  let holder: unknown = object;
  for (const step of steps) holder = (holder as JsonObject | undefined)?.[step];
  return [typeof holder === "object" && holder !== null ? (holder as JsonObject) : undefined, field];
}
