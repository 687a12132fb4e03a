import { type Client, unexpected } from '../api/client';
import { asObject, type Json, parseJson } from '../api/json';
import type { ResultColumn, Row } from './types';

/** The rows of a response of REST, and what is known about it. */
export interface Rows {
  rows: Row[];
  /** Explore's columns; a saved query declares its own. */
  columns: readonly ResultColumn[];
  /** The raw body, which the browser keeps outside of the page's memory. */
  body: Blob;
  status: number;
  headers: Headers;
  /** From the request to the last byte, in milliseconds. */
  durationMs: number;
}

/** What the server writes before the rows; in a string, its quotes are escaped. */
const start = '"result":[';

/** The page draws itself after this many milliseconds of parsing. */
const longestTask = 10;

/** Requests rows and reads them. Throws a Failure. */
export async function requestRows(client: Client, ...request: Parameters<Client['request']>): Promise<Rows> {
  const began = performance.now();
  const response = await client.request(...request);
  const body = await response.blob();
  const durationMs = performance.now() - began;
  const { status, headers } = response;
  const parsed = await parsedRows(body).catch((thrown: unknown) => {
    throw unexpected(response, thrown);
  });
  if (parsed === null) throw unexpected(response);
  return { ...parsed, body, status, headers, durationMs };
}

/** Parses the rows in parts, so that the page does not freeze; null if the body has no rows. */
async function parsedRows(body: Blob): Promise<Pick<Rows, 'rows' | 'columns'> | null> {
  const parser = new RowParser();
  const reader = body.stream().pipeThrough(new TextDecoderStream()).getReader();
  let drawn = performance.now();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    parser.add(read.value);
    if (performance.now() - drawn < longestTask) continue;
    await new Promise((resolve) => setTimeout(resolve));
    drawn = performance.now();
  }
  return parser.end();
}

/** Parses rows whose text arrives in parts. */
class RowParser {
  readonly #rows: Row[] = [];
  /** What is before the rows. */
  #head = '';
  /** What is not parsed yet; after the head, it begins with a row. */
  #text = '';
  /** Ends a row and begins the next one with the name of its first column; empty if it is unknown. */
  #between = '';

  add(text: string): void {
    this.#text += text;
    if (this.#head === '') this.#begin();
    const end = this.#between === '' ? -1 : this.#text.lastIndexOf(this.#between);
    if (end < 0) return;
    try {
      this.#append(parseJson(`[${this.#text.slice(0, end + 1)}]`));
      this.#text = this.#text.slice(end + 2);
    } catch {
      this.#between = ''; // It is also inside of a row, so the rest is parsed at once.
    }
  }

  end(): Pick<Rows, 'rows' | 'columns'> | null {
    const last = asObject(parseJson(this.#head + this.#text));
    if (!Array.isArray(last?.result)) return null;
    this.#append(last.result);
    return { rows: this.#rows, columns: (last.columns ?? []) as unknown as ResultColumn[] };
  }

  #begin(): void {
    const row = this.#text.indexOf(start) + start.length;
    const colon = this.#text.indexOf(':', row);
    if (row < start.length || colon < 0 || !this.#text.startsWith('{"', row)) return;
    this.#head = this.#text.slice(0, row);
    this.#between = `},${this.#text.slice(row, colon + 1)}`;
    this.#text = this.#text.slice(row);
  }

  #append(values: Json): void {
    for (const value of Array.isArray(values) ? values : []) this.#rows.push(asObject(value) ?? {});
  }
}
