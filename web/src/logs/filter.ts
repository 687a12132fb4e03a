import { type Line, lineOf } from './entry';
import type { LogEntry } from './loaded';

/** Words that an entry must have, in any order and letter case. */
export class Filter {
  readonly #words: readonly RegExp[];

  constructor(text: string) {
    const words = text.split(/\s+/).filter((word) => word !== '');
    this.#words = words.map(patternOf);
  }

  get isEmpty(): boolean {
    return this.#words.length === 0;
  }

  /** Whether each word is in one of the texts. */
  matches(texts: readonly string[]): boolean {
    return this.#words.every((word) => texts.some((text) => text.search(word) >= 0));
  }

  /** Splits a text into parts that match and parts that do not. */
  split(text: string): { text: string; marked: boolean }[] {
    const marks = new Array<boolean>(text.length).fill(false);
    for (const word of this.#words) {
      for (const match of text.matchAll(word)) marks.fill(true, match.index, match.index + match[0].length);
    }
    const parts: { text: string; marked: boolean }[] = [];
    for (const [index, marked] of marks.entries()) {
      const last = parts.at(-1);
      if (last?.marked === marked) last.text += text[index];
      else parts.push({ text: text[index] ?? '', marked });
    }
    return parts;
  }
}

/** Matches a text in any letter case. */
export function patternOf(text: string): RegExp {
  return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
}

/** The texts in the row of an entry. */
export function shownTexts(entry: LogEntry, line: Line = lineOf(entry)): string[] {
  return [line.status === null ? '' : String(line.status), line.method, targetOf(entry, line)];
}

/** The texts that the filter searches: the row, the message and the id, but not times. */
export function filteredTexts(entry: LogEntry): string[] {
  return [...shownTexts(entry), entry.eventMessage ?? '', entry.eventId ?? entry.id];
}

/** The text of a row: path and query of the request, or the message. */
export function targetOf(entry: LogEntry, line: Line): string {
  return line.target === '' ? (entry.eventMessage ?? '(no text)') : line.target;
}

/** How many characters of a long message precede the match. */
const before = 40;

/** The text around the first match; null without a match. */
export function excerpt(text: string, filter: Filter): string | null {
  const parts = filter.split(text);
  const first = parts.findIndex(({ marked }) => marked);
  if (first < 0) return null;
  const start = first === 0 ? 0 : (parts[0]?.text.length ?? 0);
  return start <= before ? text : `…${text.slice(start - before)}`;
}
