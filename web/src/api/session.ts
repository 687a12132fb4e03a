import { Observable } from '../app/observable';
import type { TextStore } from '../app/storage';
import { takeToken } from './fragment';
import { asObject, type Json, parseJson } from './json';
import { serverPath } from './server';

/** Where the token is stored, for all tabs of the browser. */
const storageKey = 'savedq.token';

/** Where the name of the token is stored. */
const nameKey = 'savedq.tokenName';

/** Reports whether a text can be a token, which must fit into a header. */
export function isToken(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

/** The access of the page. It is immutable. */
export interface Access {
  token: string | null;
  /** Whether the server rejected the last request with 401. */
  denied: boolean;
  /** Why it did, as it says; null if it does not. */
  reason: string | null;
  /** Counts the tokens, so that a new token repeats all requests. */
  generation: number;
}

/**
 * Stores the token until sign-out, and sends it with each request. A server without
 * authentication never responds with 401, and then no token is requested.
 */
export class Session extends Observable<Access> {
  readonly #storage: TextStore;
  readonly access = this.get;

  constructor(storage: TextStore) {
    super({ token: storage.getItem(storageKey), denied: false, reason: null, generation: 0 });
    this.#storage = storage;
  }

  /** Follows sign-in and sign-out in other tabs. */
  followOtherTabs(window: Pick<Window, 'addEventListener'>): void {
    window.addEventListener('storage', ({ key }) => {
      if (key !== storageKey && key !== null) return; // null: everything was removed
      const token = this.#storage.getItem(storageKey);
      if (token !== this.access().token) this.set(this.#next(token));
    });
  }

  /** Takes the token from the fragment of the URL, if there is one. */
  takeFromAddress(window: Window): void {
    const { location, history } = window;
    const taken = takeToken(location.hash);
    if (taken === null) return;
    history.replaceState(history.state, '', location.pathname + location.search + taken.rest);
    if (isToken(taken.token)) this.use(taken.token);
  }

  /** Signs in: stores a token and repeats all requests. */
  use(token: string): void {
    this.#storage.removeItem(nameKey);
    this.#storage.setItem(storageKey, token);
    this.set(this.#next(token));
  }

  /** Signs out: removes the token and repeats all requests. */
  forget(): void {
    this.#storage.removeItem(storageKey);
    this.#storage.removeItem(nameKey);
    this.set(this.#next(null));
  }

  #next(token: string | null): Access {
    return { token, denied: false, reason: null, generation: this.access().generation + 1 };
  }

  /**
   * Sends a request with the token. A request that gets 401 does not fail: it waits for
   * the next token, and is sent again.
   */
  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const { token, generation } = this.access();
    const response = await fetch(input, withToken(init, token));
    if (response.status !== 401) return response;
    // A response to an earlier token does not deny the current one.
    if (generation === this.access().generation) {
      const reason = await reasonOf(response);
      if (generation === this.access().generation) this.set({ ...this.access(), denied: true, reason });
      await this.#nextToken(generation);
    }
    return this.fetch(input, init);
  };

  /** The name of the stored token, which the server gave it; null if it is not known. */
  get name(): string | null {
    return this.#storage.getItem(nameKey);
  }

  /** Remembers the name of the token, so that it can be told when the server no longer accepts it. */
  noteName(name: string | undefined): void {
    if (name && this.access().token !== null) this.#storage.setItem(nameKey, name);
  }

  /** Sends a token to the server. Returns null if it is accepted, or else why not. */
  async rejection(token: string): Promise<string | null> {
    const body = JSON.stringify({ query: '{ __typename }' });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(serverPath('/graphql'), withToken({ method: 'POST', headers, body }, token));
    return response.status === 401 ? ((await reasonOf(response)) ?? 'the token is not valid') : null;
  }

  #nextToken(generation: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        if (this.access().generation === generation) return;
        stop();
        resolve();
      });
    });
  }
}

function withToken(init: RequestInit, token: string | null): RequestInit {
  const headers = new Headers(init.headers);
  if (token !== null) headers.set('Authorization', `Bearer ${token}`);
  // The server uses no cookies, and redirects must not receive the token.
  return { ...init, headers, credentials: 'omit', redirect: 'error' };
}

/** The message of a response of either interface; null if it has none. */
async function reasonOf(response: Response): Promise<string | null> {
  let body: { [key: string]: Json } | null;
  try {
    body = asObject(parseJson(await response.text()));
  } catch {
    return null; // A proxy has denied it.
  }
  const error = asObject(Array.isArray(body?.errors) ? body.errors[0] : body?.error);
  return typeof error?.message === 'string' ? error.message : null;
}
