import { Decimal, type Json } from '../api/json';
import { day } from '../time/units';
import type { Plan } from './plan';
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
 * Puts rows on a time axis: one line for each numeric column, whole numbers in one chart
 * and others in the next. If times repeat, a STRING column that separates such rows
 * splits each column into a line for each of its values.
 */
export function resultSeries({ time, numbers, others }: TimePlan, rows: readonly Row[]): ResultSeriesSet {
  const points = pointsOf(time, rows);
  const timeless = rows.length - points.length;
  const notes = timeless === 0 ? [] : [`${timeless} ${timeless === 1 ? 'row has' : 'rows have'} no time.`];
  const split = splittingColumn(others, points);
  const distinct = [...new Set(points.map(({ ms }) => ms))];
  const repeats = split === null && distinct.length < points.length;
  if (repeats) notes.push('Several rows have the same time: each row is one step.');
  const widthMs = repeats ? 0 : evenWidth(distinct, time.type === 'DATE');
  if (widthMs === 0 && !repeats && distinct.length > 1)
    notes.push('The times have no equal distances: each time is one step.');
  const starts = repeats ? points.map(({ ms }) => ms) : widthMs === 0 ? distinct : evenTimes(distinct, widthMs);
  // Of the rows with the same time, each has the next position, or all have the same.
  const positions = new Map(starts.map((ms, index) => [ms, index]));
  const placed = points.map(({ ms, row }, index) => ({ row, at: repeats ? index : (positions.get(ms) ?? -1) }));
  const valuesOf = ({ read }: Leaf, some: readonly Placed[]): (number | null)[] => {
    const values = new Array<number | null>(starts.length).fill(null);
    for (const { at, row } of some) values[at] = numberOf(read(row));
    return values;
  };
  const groups = split === null ? [] : [...new Set(placed.map((point) => nameIn(split, point)))];
  const frames =
    split === null
      ? framesByType(numbers, (column) => valuesOf(column, placed))
      : numbers.map((column) => {
          const series = groups.map((name) => ({
            name,
            values: valuesOf(
              column,
              placed.filter((point) => nameIn(split, point) === name),
            ),
          }));
          return { title: column.name, whole: column.type === 'INT64', series: largest(series) };
        });
  if (groups.length > mostSeries) {
    notes.push(`The charts show the ${mostSeries} largest of ${groups.length} values of ${split?.name}.`);
  }
  if (frames.length > mostFrames) notes.push(`The page shows ${mostFrames} of ${frames.length} charts.`);
  return { starts: starts.map((ms) => new Date(ms)), widthMs, frames: frames.slice(0, mostFrames), notes };
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
function pointsOf({ read, type }: Leaf, rows: readonly Row[]): Point[] {
  return rows
    .flatMap((row) => {
      const ms = millisecondsOf(read(row), type);
      return ms === null ? [] : [{ ms, row }];
    })
    .sort((a, b) => a.ms - b.ms);
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
function splittingColumn(columns: readonly Leaf[], points: readonly Point[]): Leaf | null {
  if (new Set(points.map(({ ms }) => ms)).size === points.length) return null;
  const isUnique = (column: Leaf): boolean =>
    new Set(points.map((point) => `${point.ms} ${nameIn(column, point)}`)).size === points.length;
  // A column with a different value in each row, such as an id, separates nothing.
  const repeats = ({ read }: Leaf): boolean => new Set(points.map(({ row }) => read(row))).size < points.length;
  return columns.find((column) => isUnique(column) && repeats(column)) ?? null;
}

/** The distance of times in ascending order; 0 if there is none that they share. */
function evenWidth(times: readonly number[], areDays: boolean): number {
  const [first = 0] = times;
  const last = times.at(-1) ?? first;
  if (times.length < 2) return areDays ? day : 0;
  const width = times
    .slice(1)
    .reduce((least, time, index) => Math.min(least, time - (times[index] ?? 0)), last - first);
  const count = (last - first) / width + 1;
  return count <= Math.max(mostTimes, times.length) && times.every((time) => (time - first) % width === 0) ? width : 0;
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
