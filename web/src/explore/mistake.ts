import type { FailureDetails } from '../api/failure';

/** A part of a text, by its offsets. */
export interface Range {
  from: number;
  to: number;
}

/** The word in SQL that a mistake is about; null if its place is not known. */
export function rangeOf(sql: string, { line, column }: Pick<FailureDetails, 'line' | 'column'>): Range | null {
  if (line === undefined || column === undefined) return null;
  const lines = sql.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const text = lines[line - 1] ?? '';
  const from = Math.min(start + charactersIn(text, column - 1), sql.length);
  const [word = ''] = /^(`[^`]*`|"[^"]*"|\{\w+:[^}]*\}|[@$\w.]+|\S)/.exec(sql.slice(from)) ?? [];
  return word === '' ? { from: Math.max(0, from - 1), to: from } : { from, to: from + word.length };
}

/** How many units of a text its first bytes of UTF-8 are. */
function charactersIn(text: string, bytes: number): number {
  let left = bytes;
  let units = 0;
  for (const character of text) {
    if (left <= 0) break;
    left -= new TextEncoder().encode(character).length;
    units += character.length;
  }
  return units;
}
