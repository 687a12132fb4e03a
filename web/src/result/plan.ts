import { elementOf, isNumeric, type Leaf, leavesOf, type ResultColumn } from './types';

/** How a result is drawn, by its columns. */
export type Plan =
  /** The others are STRING columns, which can tell rows of the same time or name apart. */
  | { kind: 'time'; time: Leaf; numbers: Leaf[]; others: Leaf[]; notes: string[] }
  | { kind: 'categories'; category: Leaf | null; numbers: Leaf[]; others: Leaf[]; notes: string[] }
  /** Why there is nothing to draw, in words. */
  | { kind: 'none'; reason: string };

const timeTypes = new Set(['TIMESTAMP', 'DATETIME', 'DATE']);
const nameTypes = new Set(['STRING', 'BOOL']);

/**
 * Chooses what a chart shows: numbers over the first column with times, or a bar for each
 * row, which is named by its first STRING or BOOL, or else by the first of several whole numbers.
 */
export function planOf(columns: readonly ResultColumn[]): Plan {
  const all = leavesOf(columns);
  const numbers = all.filter(({ type }) => isNumeric(type));
  const refused = refusedIn(all);
  if (numbers.length === 0) {
    return { kind: 'none', reason: ['A chart needs a column of numbers.', ...refused].join(' ') };
  }
  const strings = all.filter(({ type }) => type === 'STRING');
  const time = all.find(({ type }) => timeTypes.has(type));
  if (time !== undefined) {
    return { kind: 'time', time, numbers, others: strings, notes: refused };
  }
  const named = all.find(({ type }) => nameTypes.has(type));
  const first = numbers.length > 1 && numbers[0]?.type === 'INT64' ? numbers[0] : null;
  const category = named ?? first;
  return {
    kind: 'categories',
    category,
    numbers: numbers.filter((leaf) => leaf !== category),
    others: strings.filter((leaf) => leaf !== category),
    notes: refused,
  };
}

/** Explains which columns are not drawn. */
function refusedIn(all: readonly Leaf[]): string[] {
  const names = (isRefused: (type: string) => boolean): string =>
    all
      .filter(({ type }) => isRefused(type))
      .map(({ name }) => name)
      .join(', ');
  const arrays = names((type) => elementOf(type) !== null);
  const json = names((type) => type === 'JSON');
  return [
    arrays === '' ? '' : `An array has several values in one row, which have no place in a chart: ${arrays}.`,
    json === '' ? '' : `JSON has no type to draw: ${json}.`,
  ].filter((note) => note !== '');
}
