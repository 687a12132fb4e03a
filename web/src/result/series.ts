import { Decimal, type Json } from '../api/json';
import { day } from '../time/units';
import type { Plan } from './plan';
import { finished, forEachIn, mapped, type Steps, sorted } from './steps';
import type { Leaf, Row } from './types';

/** A line of a chart. */
export interface ResultSeries {
  name: string;
  /** One value for each time; null where there is none. */
  values: (number | null)[];
}

/** Lines that share a value axis. */
export interface ResultFrame {
  /** The column, if the series are parts of it. */
  title: string;
  /** Whether the values are whole numbers. */
  whole: boolean;
  series: ResultSeries[];
}

type TimePlan = Extract<Plan, { kind: 'time' }>;

/** A result over time. */
export interface ResultSeriesSet {
  starts: Date[];
  /** The distance of the times, in milliseconds; 0 if they have no equal distances. */
  widthMs: number;
  frames: ResultFrame[];
  /** What the charts leave out, in words. */
  notes: string[];
}

/** As many lines as there are colours. */
export const mostSeries = 8;
const mostFrames = 6;
/** Gaps between rows are filled up to this many times in all. Rows without gaps can have more. */
const mostTimes = 5000;

/**
 * Puts rows on a time axis: one line for each numeric column, whole numbers in one chart and others in the next. If times
 * repeat, a STRING column that separates such rows, or the one that the plan names, splits each column into a line for each
 * of its values. Values of the same time and line are added up.
 */
export function* resultSteps(
  { time, numbers, others, split: wanted }: TimePlan,
  rows: readonly Row[],
): Steps<ResultSeriesSet> {
  const points = yield* pointsOf(time, rows);
  const timeless = rows.length - points.length;
  const notes = timeless === 0 ? [] : [`${timeless} ${timeless === 1 ? 'row has' : 'rows have'} no time.`];
  const times = yield* mapped(points, ({ ms }) => ms);
  const distinct = yield* withoutRepeats(times);
  const split = wanted === undefined ? yield* splittingColumn(others, points, distinct.length) : wanted;
  const repeats = split === null && distinct.length < points.length;
  if (repeats) notes.push('Several rows have the same time: each row is one step.');
  const widthMs = repeats ? 0 : yield* evenWidth(distinct, time.type === 'DATE');
  if (widthMs === 0 && !repeats && distinct.length > 1)
    notes.push('The times have no equal distances: each time is one step.');
  const starts = repeats ? times : widthMs === 0 ? distinct : evenTimes(distinct, widthMs);
  // Of the rows with the same time, each has the next position, or all have the same.
  const positions = new Map<number, number>();
  yield* forEachIn(starts, (ms, index) => positions.set(ms, index));
  const placed = yield* mapped(
    points,
    ({ ms, row }, index): Placed => ({ row, at: repeats ? index : (positions.get(ms) ?? -1) }),
  );
  const { frames, further } =
    split === null
      ? yield* plainFrames(numbers, placed, starts.length)
      : yield* splitFrames(numbers, split, placed, starts.length);
  notes.push(...further);
  if (frames.length > mostFrames) notes.push(`The page shows ${mostFrames} of ${frames.length} charts.`);
  return { starts: yield* mapped(starts, (ms) => new Date(ms)), widthMs, frames: frames.slice(0, mostFrames), notes };
}

interface Frames {
  frames: ResultFrame[];
  /** What they leave out, in words. */
  further: string[];
}

/** A line for each column. */
function* plainFrames(numbers: readonly Leaf[], placed: readonly Placed[], count: number): Steps<Frames> {
  const values = new Map<string, (number | null)[]>();
  for (const column of numbers) values.set(column.name, yield* valuesOf(column, placed, count));
  return { frames: framesByType(numbers, ({ name }) => values.get(name) ?? []), further: [] };
}

/** A chart for each column, with a line for each value of another one. */
function* splitFrames(numbers: readonly Leaf[], split: Leaf, placed: readonly Placed[], count: number): Steps<Frames> {
  const groups = yield* groupsOf(split, placed);
  const further: string[] = [];
  if (groups.size > mostSeries) {
    further.push(`The charts show the ${mostSeries} largest of ${groups.size} values of ${split.name}.`);
  }
  const steps = yield* mapped([...groups.values()], (some) => new Set(some.map(({ at }) => at)).size);
  if (steps.reduce((sum, one) => sum + one, 0) < placed.length) {
    further.push('Rows of the same time and series are added up.');
  }
  const frames: ResultFrame[] = [];
  for (const column of numbers) {
    const series: ResultSeries[] = [];
    for (const [name, some] of yield* largestGroups(column, groups)) {
      series.push({ name, values: yield* valuesOf(column, some, count) });
    }
    frames.push({ title: column.name, whole: column.type === 'INT64', series });
  }
  return { frames, further };
}

/** As {@link resultSteps}, at once. */
export function resultSeries(plan: TimePlan, rows: readonly Row[]): ResultSeriesSet {
  return finished(resultSteps(plan, rows));
}

/** The values of a column at the positions of some rows, added up where several have one position. */
function* valuesOf({ read }: Leaf, some: readonly Placed[], count: number): Steps<(number | null)[]> {
  const values = new Array<number | null>(count).fill(null);
  yield* forEachIn(some, ({ at, row }) => {
    const value = numberOf(read(row));
    if (value !== null) values[at] = (values[at] ?? 0) + value;
  });
  return values;
}

/** The rows of each value of a column. */
function* groupsOf(split: Leaf, placed: readonly Placed[]): Steps<Map<string, Placed[]>> {
  const groups = new Map<string, Placed[]>();
  yield* forEachIn(placed, (point) => {
    const name = nameIn(split, point);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [point]);
    else group.push(point);
  });
  return groups;
}

/** The groups with the largest sums of a column, in their order. */
function* largestGroups({ read }: Leaf, groups: Map<string, Placed[]>): Steps<[string, Placed[]][]> {
  const all = [...groups];
  if (all.length <= mostSeries) return all;
  const sums = yield* mapped(all, ([, some]) =>
    some.reduce((sum, { row }) => sum + Math.abs(numberOf(read(row)) ?? 0), 0),
  );
  const kept = new Set(
    sums
      .map((_, index) => index)
      .sort((a, b) => (sums[b] ?? 0) - (sums[a] ?? 0))
      .slice(0, mostSeries),
  );
  return all.filter((_, index) => kept.has(index));
}

function* withoutRepeats(times: readonly number[]): Steps<number[]> {
  const seen = new Set<number>();
  yield* forEachIn(times, (ms) => seen.add(ms));
  return [...seen];
}

/** The charts of whole numbers and those of others. Their legends name their columns. */
export function framesByType(columns: readonly Leaf[], valuesOf: (column: Leaf) => (number | null)[]): ResultFrame[] {
  return ['INT64', 'FLOAT64', 'NUMERIC'].flatMap((type) => {
    const some = columns.filter((column) => column.type === type);
    return comparable(some.map((column) => ({ name: column.name, values: valuesOf(column) }))).map((series) => ({
      title: '',
      whole: type === 'INT64',
      series,
    }));
  });
}

/** The value of a STRING column, as the name of a line. */
function nameIn({ read }: Leaf, { row }: Pick<Point, 'row'>): string {
  return String(read(row) ?? 'null');
}

interface Point {
  ms: number;
  row: Row;
}

/** A row with its position on the time axis. */
interface Placed {
  row: Row;
  at: number;
}

/** The rows that have a time, in its order. */
function* pointsOf({ read, type }: Leaf, rows: readonly Row[]): Steps<Point[]> {
  const points: Point[] = [];
  yield* forEachIn(rows, (row) => {
    const ms = millisecondsOf(read(row), type);
    if (ms !== null) points.push({ ms, row });
  });
  return yield* sorted(points, (a, b) => a.ms - b.ms);
}

/** A time in milliseconds since 1970. DATETIME and DATE are in UTC. */
export function millisecondsOf(value: Json, type: string): number | null {
  if (type === 'TIMESTAMP') return typeof value === 'number' ? Math.floor(value / 1000) : null;
  if (typeof value !== 'string') return null;
  const ms = Date.parse(type === 'DATE' ? value : `${value}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/** A number as a double; null for another value. */
export function numberOf(value: Json | undefined): number | null {
  if (value instanceof Decimal) return Number(value.digits);
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
}

/** The STRING column that separates rows of the same time; null if no times repeat or there is none. */
function* splittingColumn(columns: readonly Leaf[], points: readonly Point[], times: number): Steps<Leaf | null> {
  if (times === points.length) return null;
  for (const column of columns) {
    const both = new Set<string>();
    const names = new Set<string>();
    yield* forEachIn(points, (point) => {
      const name = nameIn(column, point);
      both.add(`${point.ms} ${name}`);
      names.add(name);
    });
    // A column with a different value in each row, such as an id, separates nothing.
    if (both.size === points.length && names.size < points.length) return column;
  }
  return null;
}

/** The distance of times in ascending order; 0 if there is none that they share. */
function* evenWidth(times: readonly number[], areDays: boolean): Steps<number> {
  const [first = 0] = times;
  const last = times.at(-1) ?? first;
  if (times.length < 2) return areDays ? day : 0;
  let width = last - first;
  yield* forEachIn(times, (time, index) => {
    if (index > 0) width = Math.min(width, time - (times[index - 1] ?? 0));
  });
  if ((last - first) / width + 1 > Math.max(mostTimes, times.length)) return 0;
  let isEven = true;
  yield* forEachIn(times, (time) => {
    isEven &&= (time - first) % width === 0;
  });
  return isEven ? width : 0;
}

/** All times from the first to the last one, at a distance. */
function evenTimes(times: readonly number[], widthMs: number): number[] {
  const [first = 0] = times;
  const last = times.at(-1) ?? first;
  return Array.from({ length: (last - first) / widthMs + 1 }, (_, index) => first + index * widthMs);
}

/** In one chart, the largest values of lines differ at most by this factor, so that each can be read. */
const mostFactor = 100;

/** Groups series by the size of their values, in their order. */
function comparable(series: ResultSeries[]): ResultSeries[][] {
  const groups: { size: number; series: ResultSeries[] }[] = [];
  for (const one of series) {
    const size = one.values.reduce((most: number, value) => Math.max(most, Math.abs(value ?? 0)), 0);
    const group = groups.find(
      (other) =>
        other.series.length < mostSeries &&
        (size === 0 || other.size === 0 || Math.max(size / other.size, other.size / size) <= mostFactor),
    );
    if (group === undefined) groups.push({ size, series: [one] });
    else group.series.push(one);
  }
  return groups.map((group) => group.series);
}

/** The series with the largest sums, in their order. */
export function largest(series: ResultSeries[]): ResultSeries[] {
  const sum = ({ values }: ResultSeries): number =>
    values.reduce((total: number, value) => total + Math.abs(value ?? 0), 0);
  const kept = new Set(series.toSorted((a, b) => sum(b) - sum(a)).slice(0, mostSeries));
  return series.filter((one) => kept.has(one));
}
