import type { Json } from '../api/json';
import { compactJson } from '../api/json';
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

/**
 * Puts rows into bars: one for each row and each number. Names that repeat are one bar for
 * each value of another STRING column that tells their rows apart. One row without
 * a name is a bar for each of its numbers.
 */
export function categoriesOf(plan: CategoryPlan, rows: readonly Row[]): Categories {
  const { category, numbers } = plan;
  const [first] = rows;
  if (category === null && rows.length === 1 && first !== undefined) {
    const values = numbers.map(({ read }) => numberOf(read(first)));
    const whole = numbers.every(({ type }) => type === 'INT64');
    const frames = [{ title: '', whole, series: [{ name: 'Value', values }] }];
    return { names: numbers.map(({ name }) => name), frames, notes: [] };
  }
  const nameOf = (row: Row, index: number): string =>
    category === null ? `Row ${index + 1}` : textOf(category.read(row));
  const named = rows.map((row, index) => ({ name: nameOf(row, index), row }));
  const names = [...new Set(named.map(({ name }) => name))];
  const split = names.length === rows.length ? null : splitOf(plan, named);
  const shown = split === null ? named.slice(0, mostNames) : named;
  const kept = split === null ? shown.map(({ name }) => name) : names.slice(0, mostNames);
  const notes: string[] = [];
  const count = split === null ? rows.length : names.length;
  if (count > mostNames) notes.push(`The chart shows the first ${mostNames} of ${count} bars.`);
  if (split === null) {
    const frames = framesByType(numbers, ({ read }) => shown.map(({ row }) => numberOf(read(row))));
    return { names: kept, frames, notes };
  }
  const groups = [...new Set(named.map(({ row }) => textOf(split.read(row))))];
  if (groups.length > mostSeries) {
    notes.push(`The chart shows the ${mostSeries} largest of ${groups.length} values of ${split.name}.`);
  }
  const frames = numbers.map((number): ResultFrame => {
    const values = new Map(
      named.map(({ name, row }) => [`${name}\n${textOf(split.read(row))}`, numberOf(number.read(row))]),
    );
    const series = groups.map((group) => ({
      name: group,
      values: kept.map((name) => values.get(`${name}\n${group}`) ?? null),
    }));
    return { title: number.name, whole: number.type === 'INT64', series: largest(series) };
  });
  return { names: kept, frames, notes };
}

/** The other STRING column that tells rows of the same name apart; null if there is none. */
function splitOf({ others }: CategoryPlan, named: readonly { name: string; row: Row }[]): Leaf | null {
  const isUnique = ({ read }: Leaf): boolean =>
    new Set(named.map(({ name, row }) => `${name}\n${textOf(read(row))}`)).size === named.length;
  return others.find(isUnique) ?? null;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : compactJson(value);
}
