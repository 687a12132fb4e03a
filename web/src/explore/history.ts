import type { TextStore } from '../app/storage';
import type { Values } from './run';

/** A run of SQL in this browser. */
export interface PastRun {
  /** The name of its dialect. */
  dialect: string;
  sql: string;
  args: Values;
  /** RFC 3339. */
  at: string;
  /** How many rows it returned; null if it failed. */
  rows: number | null;
  milliseconds: number;
}

const key = 'savedq.explore.history';
/** How many runs are kept. */
export const mostRuns = 200;

/** The last runs in this browser, latest first. */
export function pastRuns(store: TextStore): PastRun[] {
  try {
    const stored: unknown = JSON.parse(store.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRun).slice(0, mostRuns) : [];
  } catch {
    return []; // The stored value is not ours.
  }
}

/** Keeps a run as the latest one, in place of an earlier run of the same SQL with the same parameters. */
export function keepPastRun(store: TextStore, run: PastRun): PastRun[] {
  const same = ({ dialect, sql, args }: PastRun): string => JSON.stringify([dialect, sql, args]);
  let runs = [run, ...pastRuns(store).filter((other) => same(other) !== same(run))].slice(0, mostRuns);
  for (; runs.length > 0; runs = runs.slice(0, Math.floor(runs.length / 2))) {
    try {
      store.setItem(key, JSON.stringify(runs));
      break;
    } catch {
      // The browser's storage is full, so that half of the runs are forgotten.
    }
  }
  return runs;
}

export function forgetPastRuns(store: TextStore): void {
  store.removeItem(key);
}

/** The runs whose SQL has all words of a search, in any case. */
export function searchRuns(runs: readonly PastRun[], search: string): PastRun[] {
  const words = search.toLowerCase().split(/\s+/);
  return runs.filter(({ sql }) => words.every((word) => sql.toLowerCase().includes(word)));
}

function isRun(value: unknown): value is PastRun {
  const run = (value ?? {}) as Partial<PastRun>;
  return (
    typeof run.dialect === 'string' &&
    typeof run.sql === 'string' &&
    typeof run.at === 'string' &&
    (run.rows === null || typeof run.rows === 'number') &&
    typeof run.milliseconds === 'number' &&
    Object.values(run.args ?? { none: null }).every(
      (values) => Array.isArray(values) && values.every((one) => typeof one === 'string'),
    )
  );
}
