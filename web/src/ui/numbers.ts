import type { Work } from '../api/freshness';

const whole = new Intl.NumberFormat('en-GB');
// British English writes 3 million as "3m", which reads as minutes here.
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** A count with all its digits, such as "12,345". */
export const formatCount = (count: number): string => whole.format(count);

/** A count with its noun, such as "1 entry" or "100 entries". */
export const formatCountOf = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** The first number that is too long for a card. */
const longest = 1_000_000_000;

/** A count for a card: all its digits, as in tables, or "2.5B" where there is no room for them. */
export const formatRounded = (count: number): string => (count < longest ? formatCount(count) : compact.format(count));

/** A number of any size, such as "187.246": six digits, or more where its whole part has more. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return String(Math.abs(value) < 100_000 ? Number(value.toPrecision(6)) : Math.round(value));
}

/** A count for an axis, such as "12.3K". */
export const formatCompact = (count: number): string => compact.format(count);

/** A share, such as "3.4 %"; a dash if the whole is zero. All have one decimal, so that a column of them lines up. */
export function formatShare(part: number, of: number): string {
  if (of === 0) return '–';
  const percent = (100 * part) / of;
  if (part === 0) return '0 %';
  if (percent < 0.1) return '< 0.1 %';
  return `${percent.toFixed(1)} %`;
}

/** A time for an axis, such as "2.5 s", without trailing zeros. */
export function formatAxisTime(time: number): string {
  if (time === 0) return '0';
  return time >= 1000 ? `${Number((time / 1000).toFixed(2))} s` : `${Number(time.toFixed(2))} ms`;
}

/** An execution time such as "184 ms" or "1.25 s"; a dash where none was recorded. */
export function formatMilliseconds(time: number | null): string {
  if (time === null) return '–';
  if (time >= 1000) return `${(time / 1000).toFixed(2)} s`;
  return `${time < 10 ? Number(time.toFixed(1)) : Math.round(time)} ms`;
}

const byteUnits = ['kB', 'MB', 'GB', 'TB'];

/** A number of bytes, such as "3.1 kB"; a dash for none, which can also mean that they are not counted. */
export const formatBytesOrNone = (bytes: number): string => (bytes === 0 ? '–' : formatBytes(bytes));

/** A number of bytes, such as "3.1 kB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(byteUnits.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${byteUnits[power - 1]}`;
}

/** What a run read and reused, such as "1 row read · 24 reused"; bytes only if the engine counts them. */
export function formatWork({ rowsRead, rowsReused, bytesProcessed, bytesReused }: Work): string {
  const rows = `${formatCountOf(rowsRead, 'row', 'rows')} read · ${formatCount(rowsReused)} reused`;
  if (bytesProcessed === 0 && bytesReused === 0) return rows;
  return `${rows} · ${formatBytes(bytesProcessed)} processed · ${formatBytes(bytesReused)} reused`;
}
