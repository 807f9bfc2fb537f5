/** A whole answer. */
export interface ServiceReply {
  readonly status: number;
  /** Names in lower case. The server adds lengths and encodings. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" } as const;

/** Thrown while a request is parsed and answered: why it does not get a 200. The request handler catches it. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
  }
}

/** An error of any status. With `waitSeconds`, it has a `Retry-After` header. */
export const errorReply = (status: number, message: string, waitSeconds?: number): ServiceReply => ({
  status,
  headers: { ...JSON_HEADERS, ...(waitSeconds !== undefined && { "retry-after": String(waitSeconds) }) },
  body: JSON.stringify({ error: { status, message } }),
});
