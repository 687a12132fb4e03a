import type { TextStore } from '../app/storage';
import { takeToken } from './fragment';

/** Where the token is kept, for all tabs of the browser. */
const storageKey = 'savedq.token';

/** Whether a text can be a token: nothing else fits into a header. */
export function isToken(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

/** What the page knows of its own access. It is immutable. */
export interface Access {
  token: string | null;
  /** Whether the server turned the last request away for want of a valid token. */
  denied: boolean;
  /** Counts the tokens, so that what was denied is asked again with a new one. */
  generation: number;
}

/**
 * Keeps the token until somebody signs out, and sends it with each request. A server without
 * authentication never answers 401, and then nobody is asked for a token.
 */
export class Session {
  readonly #storage: TextStore;
  readonly #listeners = new Set<() => void>();
  #access: Access;

  constructor(storage: TextStore) {
    this.#storage = storage;
    this.#access = { token: storage.getItem(storageKey), denied: false, generation: 0 };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly access = (): Access => this.#access;

  /** Follows what other tabs do: whoever signs in or out in one does so in all. */
  followOtherTabs(window: Pick<Window, 'addEventListener'>): void {
    window.addEventListener('storage', ({ key }) => {
      if (key !== storageKey && key !== null) return; // null: everything was removed
      const token = this.#storage.getItem(storageKey);
      if (token !== this.#access.token) this.#change(this.#next(token));
    });
  }

  /** Takes the token out of the fragment of the address, if there is one. */
  takeFromAddress(window: Window): void {
    const { location, history } = window;
    const taken = takeToken(location.hash);
    if (taken === null) return;
    history.replaceState(history.state, '', location.pathname + location.search + taken.rest);
    if (isToken(taken.token)) this.use(taken.token);
  }

  /** Signs in: keeps a token and lets everything be asked again. */
  use(token: string): void {
    this.#storage.setItem(storageKey, token);
    this.#change(this.#next(token));
  }

  /** Signs out: removes the token. What the server gives without one is asked for again. */
  forget(): void {
    this.#storage.removeItem(storageKey);
    this.#change(this.#next(null));
  }

  #next(token: string | null): Access {
    return { token, denied: false, generation: this.#access.generation + 1 };
  }

  /**
   * Sends a request with the token. What is turned away for want of a valid one has
   * not failed: it waits for the next token, and is sent again.
   */
  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const { token, generation } = this.#access;
    const response = await fetch(input, withToken(init, token));
    if (response.status !== 401) return response;
    // An answer to an earlier token says nothing about the present one.
    if (generation === this.#access.generation) {
      this.#change({ ...this.#access, denied: true });
      await this.#nextToken(generation);
    }
    return this.fetch(input, init);
  };

  /** Whether the server lets a token in. */
  async accepts(token: string): Promise<boolean> {
    const body = JSON.stringify({ query: '{ __typename }' });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch('/graphql', withToken({ method: 'POST', headers, body }, token));
    return response.status !== 401;
  }

  #nextToken(generation: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        if (this.#access.generation === generation) return;
        stop();
        resolve();
      });
    });
  }

  #change(access: Access): void {
    this.#access = access;
    for (const listener of this.#listeners) listener();
  }
}

function withToken(init: RequestInit, token: string | null): RequestInit {
  const headers = new Headers(init.headers);
  if (token !== null) headers.set('Authorization', `Bearer ${token}`);
  // Cookies are of no use to the server, and the token is for it alone.
  return { ...init, headers, credentials: 'omit', redirect: 'error' };
}
