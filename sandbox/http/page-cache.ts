import type { Page } from "./page.ts";
import type { ServiceReply } from "./request-and-reply.ts";

/** A page as an answer, with its number of items and its link. */
export interface PageReply {
  readonly reply: ServiceReply;
  readonly items: number;
  readonly link: string | undefined;
}

const headers = { "content-type": "application/json; charset=utf-8" };
const MAX_CHARACTERS = 512 * 1024 * 1024;

/** Rendered pages by URL. A change of data empties it. Switched off, it keeps nothing. */
export class PageCache {
  readonly #on: boolean;
  readonly #pages = new Map<string, PageReply>();
  #version = 0;
  #characters = 0;

  constructor(on: boolean) {
    this.#on = on;
  }

  find(url: string, version: number): PageReply | undefined {
    return version === this.#version ? this.#pages.get(url) : undefined;
  }

  /** The page as an answer. The cache returns the same object each time, so that callers can use it as a key. */
  keep(url: string, version: number, page: Page): PageReply {
    const made = { reply: { status: 200, headers, body: page.body }, items: page.items, link: page.link };
    if (!this.#on) return made;
    if (version !== this.#version) {
      this.#pages.clear();
      this.#characters = 0;
      this.#version = version;
    }
    if (this.#characters + page.body.length <= MAX_CHARACTERS) {
      this.#pages.set(url, made);
      this.#characters += page.body.length;
    }
    return made;
  }
}
