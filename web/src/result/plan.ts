import { elementOf, isNumeric, type Leaf, leavesOf, type ResultColumn } from './types';

/** How a result is drawn, by its columns. */
export type Plan =
  /** The others are STRING columns, which can tell rows of the same time or name apart; split is the one that was chosen. */
  | { kind: 'time'; time: Leaf; numbers: Leaf[]; others: Leaf[]; split?: Leaf | null | undefined; notes: string[] }
  | {
      kind: 'categories';
      category: Leaf | null;
      numbers: Leaf[];
      others: Leaf[];
      split?: Leaf | null | undefined;
      notes: string[];
    }
  /** Why there is nothing to draw, in words. */
  | { kind: 'none'; reason: string };

/** The columns that a viewer chose; an empty text or list leaves the choice to the page. */
export interface Axes {
  x: string;
  y: readonly string[];
  /** The column whose values are series; "none" for none. */
  series: string;
}

/** The value of series for a chart that is not split. */
export const noSeries = 'none';

const timeTypes = new Set(['TIMESTAMP', 'DATETIME', 'DATE']);
const nameTypes = new Set(['STRING', 'BOOL']);

/** What each choice of a chart can be. */
export function choicesOf(columns: readonly ResultColumn[]): { x: string[]; y: string[]; series: string[] } {
  const all = leavesOf(columns);
  const namesOf = (may: (type: string) => boolean): string[] =>
    all.filter(({ type }) => may(type)).map(({ name }) => name);
  return {
    x: namesOf((type) => timeTypes.has(type) || nameTypes.has(type) || type === 'INT64'),
    y: namesOf(isNumeric),
    series: namesOf((type) => nameTypes.has(type)),
  };
}

/**
 * Chooses what a chart shows: numbers over the first column with times, or a bar for each
 * row, which is named by its first STRING or BOOL, or else by the first of several whole numbers.
 */
export function planOf(columns: readonly ResultColumn[], axes: Axes = { x: '', y: [], series: '' }): Plan {
  const all = leavesOf(columns);
  const x = all.find(({ name }) => name === axes.x && axes.x !== '');
  const chosen = all.filter(({ name, type }) => isNumeric(type) && name !== axes.x && axes.y.includes(name));
  const numbers = chosen.length > 0 ? chosen : all.filter((leaf) => isNumeric(leaf.type) && leaf !== x);
  const split = axes.series === noSeries ? null : all.find(({ name }) => name === axes.series && axes.series !== '');
  const refused = refusedIn(all);
  if (numbers.length === 0) {
    return { kind: 'none', reason: ['A chart needs a column of numbers.', ...refused].join(' ') };
  }
  const strings = all.filter(({ type }) => type === 'STRING');
  const time = x === undefined ? all.find(({ type }) => timeTypes.has(type)) : x;
  if (time !== undefined && timeTypes.has(time.type)) {
    return { kind: 'time', time, numbers, others: strings, split, notes: refused };
  }
  const named = x ?? all.find((leaf) => nameTypes.has(leaf.type) && leaf !== split);
  const first = numbers.length > 1 && numbers[0]?.type === 'INT64' ? numbers[0] : null;
  const category = named ?? first;
  return {
    kind: 'categories',
    category,
    numbers: numbers.filter((leaf) => leaf !== category),
    others: strings.filter((leaf) => leaf !== category),
    split,
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
