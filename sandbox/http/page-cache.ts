import type { ServiceReply } from "./exchange.ts";
import type { Page } from "./page.ts";

/** A page as an answer, with how many items it holds. */
export interface PageReply {
  readonly reply: ServiceReply;
  readonly items: number;
  readonly link: string | undefined;
}

const headers = { "content-type": "application/json; charset=utf-8" };
const mostCharacters = 512 * 1024 * 1024;

/** Pages that were rendered once, by address; a change of data empties it. Switched off, it keeps nothing. */
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

  /** The page as an answer. Two answers from the cache are one object, so that others can keep things by it. */
  keep(url: string, version: number, page: Page): PageReply {
    const made = { reply: { status: 200, headers, body: page.body }, items: page.items, link: page.link };
    if (!this.#on) return made;
    if (version !== this.#version) {
      this.#pages.clear();
      this.#characters = 0;
      this.#version = version;
    }
    if (this.#characters + page.body.length <= mostCharacters) {
      this.#pages.set(url, made);
      this.#characters += page.body.length;
    }
    return made;
  }
}
