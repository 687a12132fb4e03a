import { compactJson, type Json } from '../api/json';
import type { Plan } from './plan';
import { framesByType, largest, mostSeries, numberOf, type ResultFrame } from './series';
import type { Leaf, Row } from './types';

type CategoryPlan = Extract<Plan, { kind: 'categories' }>;

/** A result as bars: a value of each series for each name. */
export interface Categories {
  names: string[];
  frames: ResultFrame[];
  /** What the charts leave out, in words. */
  notes: string[];
}

/** More bars are not readable. */
export const mostNames = 50;

/** A row with the name of its bar. */
interface Named {
  name: string;
  row: Row;
}

/**
 * Puts rows into bars, named by their category. Where names repeat, another STRING column
 * separates their rows: its values are series if most names have most of them, and
 * otherwise a part of the names. One row without a name is a bar for each of its numbers.
 */
export function categoriesOf(plan: CategoryPlan, rows: readonly Row[]): Categories {
  const { category, numbers } = plan;
  const [first] = rows;
  if (category === null && rows.length === 1 && first !== undefined) return barsOfRow(numbers, first);
  const named = rows.map(
    (row, index): Named => ({ name: category === null ? `Row ${index + 1}` : textOf(category.read(row)), row }),
  );
  const split = plan.split === undefined ? splitOf(plan, named) : plan.split;
  if (split === null) return barsOfRows(numbers, named);
  if (plan.split) return barsOfChosen(numbers, named, plan.split);
  const series = distinct(named.map(({ row }) => textOf(split.read(row))));
  const names = distinct(named.map(({ name }) => name));
  return named.length * 2 > names.length * series.length
    ? barsOfSeries(numbers, named, names, split, series)
    : barsOfRows(
        numbers,
        named.map(({ name, row }) => ({ name: `${name} · ${textOf(split.read(row))}`, row })),
      );
}

/** Bars of the series that were chosen. Values of the same name and series are added up. */
function barsOfChosen(numbers: readonly Leaf[], named: readonly Named[], split: Leaf): Categories {
  const allNames = distinct(named.map(({ name }) => name));
  const names = allNames.slice(0, mostNames);
  const groups = distinct(named.map(({ row }) => textOf(split.read(row))));
  const rowsOf = new Map<string, Named[]>();
  for (const one of named) {
    const key = keyOf(one.name, split, one.row);
    rowsOf.set(key, [...(rowsOf.get(key) ?? []), one]);
  }
  const sumOf = (number: Leaf, key: string): number | null => {
    const values = (rowsOf.get(key) ?? [])
      .map(({ row }) => numberOf(number.read(row)))
      .filter((value) => value !== null);
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
  };
  const frames = numbers.map(
    (number): ResultFrame => ({
      title: number.name,
      whole: number.type === 'INT64',
      series: largest(
        groups.map((group) => ({ name: group, values: names.map((name) => sumOf(number, `${name}\n${group}`)) })),
      ),
    }),
  );
  const notes = [...tooMany(allNames.length)];
  if (groups.length > mostSeries) {
    notes.push(`The chart shows the ${mostSeries} largest of ${groups.length} values of ${split.name}.`);
  }
  if (rowsOf.size < named.length) notes.push('Rows of the same name and series are added up.');
  return { names, frames, notes };
}

function barsOfRow(numbers: readonly Leaf[], row: Row): Categories {
  const values = numbers.map(({ read }) => numberOf(read(row)));
  const whole = numbers.every(({ type }) => type === 'INT64');
  return {
    names: numbers.map(({ name }) => name),
    frames: [{ title: '', whole, series: [{ name: 'Value', values }] }],
    notes: [],
  };
}

function barsOfRows(numbers: readonly Leaf[], named: readonly Named[]): Categories {
  const shown = named.slice(0, mostNames);
  return {
    names: shown.map(({ name }) => name),
    frames: framesByType(numbers, ({ read }) => shown.map(({ row }) => numberOf(read(row)))),
    notes: tooMany(named.length),
  };
}

function barsOfSeries(
  numbers: readonly Leaf[],
  named: readonly Named[],
  allNames: readonly string[],
  split: Leaf,
  groups: readonly string[],
): Categories {
  const names = allNames.slice(0, mostNames);
  const rowOf = new Map(named.map(({ name, row }) => [keyOf(name, split, row), row]));
  const frames = numbers.map((number): ResultFrame => {
    const series = groups.map((group) => ({
      name: group,
      values: names.map((name) => {
        const row = rowOf.get(`${name}\n${group}`);
        return row === undefined ? null : numberOf(number.read(row));
      }),
    }));
    return { title: number.name, whole: number.type === 'INT64', series: largest(series) };
  });
  const more = groups.length - mostSeries;
  const notes =
    more > 0 ? [`The chart shows the ${mostSeries} largest of ${groups.length} values of ${split.name}.`] : [];
  return { names, frames, notes: [...tooMany(allNames.length), ...notes] };
}

function tooMany(count: number): string[] {
  return count > mostNames ? [`The chart shows the first ${mostNames} of ${count} bars.`] : [];
}

/** The other STRING column that separates rows of the same name; null if no names repeat or there is none. */
function splitOf({ others }: CategoryPlan, named: readonly Named[]): Leaf | null {
  if (distinct(named.map(({ name }) => name)).length === named.length) return null;
  const isUnique = (leaf: Leaf): boolean =>
    distinct(named.map(({ name, row }) => keyOf(name, leaf, row))).length === named.length;
  return others.find(isUnique) ?? null;
}

function keyOf(name: string, { read }: Leaf, row: Row): string {
  return `${name}\n${textOf(read(row))}`;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : compactJson(value);
}
