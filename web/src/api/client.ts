import type { TypedDocumentString } from '../gql/graphql';
import { Failure, isAbort } from './failure';
import type { Freshness } from './freshness';
import { asObject, type Json, parseJson } from './json';
import type { Session } from './session';

/** The data of an operation and what is known about it. */
export interface Answer<Data> {
  data: Data;
  /** By response key. */
  freshness: { [field: string]: Freshness };
  /** When the answer arrived, by the clock of this machine, in milliseconds since 1970. */
  receivedAt: number;
}

/** The answer of a saved query over REST. */
export interface RestAnswer {
  status: number;
  rows: { [column: string]: Json }[];
  /** The body as it was sent. */
  body: string;
  /** From the request to the last byte, in milliseconds. */
  durationMs: number;
  headers: Headers;
}

/** How a request is made. */
export interface RequestOptions {
  signal?: AbortSignal;
  /** Ask for rows that are computed anew. */
  fresh?: boolean;
}

/** Asks the server over both of its interfaces. */
export class Client {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Runs an operation. What fails is thrown as a {@link Failure}. */
  async query<Data, Variables>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
    options: RequestOptions = {},
  ): Promise<Answer<Data>> {
    const headers = new Headers({
      Accept: 'application/graphql-response+json',
      'Content-Type': 'application/json',
    });
    const body = JSON.stringify({ query: document.toString(), variables });
    const response = await this.#send('/graphql', { method: 'POST', headers, body }, options);
    const answer = asObject(await readJson(response));
    const error = asObject(Array.isArray(answer?.errors) ? answer.errors[0] : undefined);
    if (error !== null) throw graphqlFailure(error, response);
    if (!response.ok || answer === null || asObject(answer.data) === null) throw unexpected(response);
    const extensions = asObject(answer.extensions);
    return {
      // The types of the data are the schema's, by which the server made it.
      data: answer.data as Data,
      freshness: (asObject(extensions?.freshness) ?? {}) as unknown as Answer<Data>['freshness'],
      receivedAt: Date.now(),
    };
  }

  /** Runs a saved query by its name. What fails is thrown as a {@link Failure}. */
  async run(path: string, options: RequestOptions = {}): Promise<RestAnswer> {
    const began = performance.now();
    // The browser's own cache must not answer by itself, which would hide how old
    // rows are; "no-store" would make browsers ask for rows that are computed anew.
    const response = await this.#send(path, { headers: new Headers(), cache: 'no-cache' }, options);
    const body = await response.text();
    const durationMs = performance.now() - began;
    const answer = asObject(parseBody(body, response));
    if (!response.ok) throw restFailure(answer, response);
    if (!Array.isArray(answer?.result)) throw unexpected(response);
    const rows = answer.result.map((row) => asObject(row) ?? {});
    return { status: response.status, rows, body, durationMs, headers: response.headers };
  }

  async #send(path: string, init: RequestInit & { headers: Headers }, options: RequestOptions): Promise<Response> {
    if (options.fresh) init.headers.set('Cache-Control', 'no-cache');
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
  const argument = extensions?.argument;
  return new Failure({
    code: text(extensions?.code) ?? 'UNEXPECTED_ANSWER',
    message: text(error.message) ?? 'The server gave no reason.',
    ...(typeof argument === 'string' ? { argument } : {}),
    ...context(response),
  });
}

function restFailure(body: { [key: string]: Json } | null, response: Response): Failure {
  const code = text(body?.code);
  const message = text(body?.error);
  if (code === null || message === null) return unexpected(response);
  return new Failure({ code, message, ...context(response) });
}

function unexpected(response: Response, cause?: unknown): Failure {
  const message = `The answer is not one of savedq's (HTTP status ${response.status}). Something between this page and the server may have given it.`;
  return new Failure({ code: 'UNEXPECTED_ANSWER', message, ...context(response) }, { cause });
}

function context(response: Response): { status: number; requestId?: string } {
  const requestId = response.headers.get('X-Request-Id');
  return { status: response.status, ...(requestId === null ? {} : { requestId }) };
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
