import type { TextStore } from '../app/storage';
import type { Arguments } from './rest';

/** A run of a saved query: what was filled in, but not who ran it. */
export interface Run {
  name: string;
  args: Arguments;
  /** RFC 3339. */
  at: string;
}

const key = 'savedq.runs';
/** How many runs are kept. */
const most = 20;

/** The last runs in this browser, latest first. */
export function runsIn(store: TextStore): Run[] {
  try {
    const stored: unknown = JSON.parse(store.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRun).slice(0, most) : [];
  } catch {
    return []; // The stored value is not ours.
  }
}

/** Keeps a run as the latest one. The same run before is forgotten. */
export function keepRun(store: TextStore, run: Run): Run[] {
  const same = ({ name, args }: Run): string => JSON.stringify([name, args]);
  const runs = [run, ...runsIn(store).filter((other) => same(other) !== same(run))].slice(0, most);
  store.setItem(key, JSON.stringify(runs));
  return runs;
}

/** Forgets all runs. */
export function forgetRuns(store: TextStore): void {
  store.removeItem(key);
}

function isRun(value: unknown): value is Run {
  const { name, args, at } = (value ?? {}) as Partial<Run>;
  if (typeof name !== 'string' || typeof at !== 'string' || typeof args !== 'object' || args === null) return false;
  return Object.values(args).every((values) => Array.isArray(values) && values.every((one) => typeof one === 'string'));
}

/** The arguments of a run on one line, such as "project=acme interval=daily". */
export function summaryOf({ args }: Run): string {
  return Object.entries(args)
    .flatMap(([name, values]) => values.map((value) => `${name}=${value}`))
    .join(' ');
}
