import { type Message, outside, say } from "../text/message.ts";

/** Where services put the reason of a refusal. */
const FIELDS = ["message", "detail", "error", "errors", "title", "reason"];

/** The reason that the body of a refusal gives, as a sentence; undefined for an empty body. */
export function reasonIn(body: string): { readonly sentence: Message; readonly answer: Message } | undefined {
  if (body.trim() === "") return undefined;
  const reason = textIn(parsed(body), 4)?.replace(/(?<![.\s])[.\s]+$/, "");
  const answer = say`${outside(reason ?? body)}`;
  return {
    answer,
    sentence: reason === undefined ? say`Its answer begins ${answer}.` : say`It says: ${answer}.`,
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function textIn(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (typeof value !== "object" || value === null || depth === 0) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const inside = Array.isArray(value) ? [value[0]] : FIELDS.map((name) => fields[name]);
  return inside.map((one) => textIn(one, depth - 1)).find((text) => text !== undefined);
}
