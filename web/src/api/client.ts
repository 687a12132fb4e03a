import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
import { Failure, type FailureDetails, isAbort } from './failure';
import type { Freshness } from './freshness';
import { asObject, type Json, parseJson } from './json';
import { serverPath } from './server';
import type { Session } from './session';

/** The data of an operation and what is known about it. */
export interface GraphQLResponse<Data> {
  data: Data;
  /** By response key. */
  freshness: { [field: string]: Freshness };
  /** When the response arrived, by the clock of this machine, in milliseconds since 1970. */
  receivedAt: number;
}

/** How a request is made. */
export interface RequestOptions {
  signal?: AbortSignal;
  /** Request rows from the engine, not from the cache. */
  bypassCache?: boolean;
}

/** Calls the server over both of its interfaces. */
export class Client {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Runs an operation. Throws a {@link Failure}. */
  async query<Data, Variables>(
    document: DocumentTypeDecoration<Data, Variables> & { toString(): string },
    variables: Variables,
    options: RequestOptions = {},
  ): Promise<GraphQLResponse<Data>> {
    const headers = new Headers({
      Accept: 'application/graphql-response+json',
      'Content-Type': 'application/json',
    });
    const body = JSON.stringify({ query: document.toString(), variables });
    const response = await this.#send(serverPath('/graphql'), { method: 'POST', headers, body }, options);
    const json = asObject(await readJson(response));
    const error = asObject(Array.isArray(json?.errors) ? json.errors[0] : undefined);
    if (error !== null) throw graphqlFailure(error, response);
    if (!response.ok || json === null || asObject(json.data) === null) throw unexpected(response);
    const extensions = asObject(json.extensions);
    return {
      // The server responds according to the schema, which the types come from.
      data: json.data as Data,
      freshness: (asObject(extensions?.freshness) ?? {}) as unknown as GraphQLResponse<Data>['freshness'],
      receivedAt: Date.now(),
    };
  }

  /** Requests a path, or sends a body as JSON to it. Throws a {@link Failure}, also for the status of an error. */
  async request(
    path: string,
    {
      accept = '',
      body,
      method = body === undefined ? 'GET' : 'POST',
      ...options
    }: RequestOptions & { accept?: string; body?: unknown; method?: string } = {},
  ): Promise<Response> {
    const headers = new Headers({ Accept: accept, 'Content-Type': 'application/json' });
    // The browser's own cache must not respond by itself, which would hide how old rows are; "no-store" would make
    // browsers bypass the cache of the server.
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await this.#send(path, { headers, cache: 'no-cache', ...init }, options);
    if (!response.ok) throw restFailure(asObject(await readJson(response)), response);
    return response;
  }

  /** Requests the rows of a saved query in a format, as a file. Throws a {@link Failure}. */
  async download(path: string, accept: string): Promise<Blob> {
    return (await this.request(path, { accept })).blob();
  }

  async #send(path: string, init: RequestInit & { headers: Headers }, options: RequestOptions): Promise<Response> {
    if (options.bypassCache) init.headers.set('Cache-Control', 'no-cache');
    try {
      return await this.#session.fetch(path, { ...init, signal: options.signal ?? null });
    } catch (thrown) {
      if (isAbort(thrown)) throw thrown;
      const message = 'The server cannot be reached. Is it running, and is this machine online?';
      throw new Failure({ code: 'UNREACHABLE', message }, { cause: thrown });
    }
  }
}

async function readJson(response: Response): Promise<Json> {
  return parseBody(await response.text(), response);
}

function parseBody(body: string, response: Response): Json {
  try {
    return parseJson(body);
  } catch (thrown) {
    throw unexpected(response, thrown);
  }
}

function graphqlFailure(error: { [key: string]: Json }, response: Response): Failure {
  const extensions = asObject(error.extensions);
  return new Failure({
    code: 'UNEXPECTED_RESPONSE',
    message: text(error.message) ?? 'The server sent no message.',
    ...(extensions as Partial<FailureDetails> | null), // as in a REST body
    ...context(response),
  });
}

function restFailure(body: { [key: string]: Json } | null, response: Response): Failure {
  const error = asObject(body?.error);
  const code = text(error?.code);
  const message = text(error?.message);
  if (code === null || message === null) return unexpected(response);
  // The server sends the details of errors in this form.
  return new Failure({ ...(error as unknown as FailureDetails), ...context(response) });
}

/** The failure of a response that savedq does not send. */
export function unexpected(response: Response, cause?: unknown): Failure {
  const message = `The response (HTTP status ${response.status}) is not from savedq. Check the proxies between this page and the server.`;
  return new Failure({ code: 'UNEXPECTED_RESPONSE', message, ...context(response) }, { cause });
}

function context(response: Response): { status: number; requestId?: string } {
  const requestId = response.headers.get('X-Request-Id');
  return { status: response.status, ...(requestId === null ? {} : { requestId }) };
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
