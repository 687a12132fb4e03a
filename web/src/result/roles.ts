import { isNumeric, type ResultColumn } from './types';

/** What the values of a column are, which decides how they are written. */
export type Role = 'id' | 'quantity' | 'duration' | 'bytes' | 'time';

export const roles: readonly Role[] = ['id', 'quantity', 'duration', 'bytes', 'time'];

/** The roles that a viewer chose, by the names of columns. */
export interface Roles {
  readonly [column: string]: Role;
}

interface RoleOf {
  /** Null for values that are written as they are. */
  role: Role | null;
  source: 'chosen' | 'declared' | 'guessed';
}

/** The role of a column: as it was chosen, as it is declared, or as its name and its type suggest. */
export function roleOf(column: ResultColumn, chosen: Roles = {}): RoleOf {
  const { name, role } = column;
  const own = chosen[name];
  if (own !== undefined) return { role: own, source: 'chosen' };
  const declared = roles.find((one) => one === role);
  if (declared !== undefined) return { role: declared, source: 'declared' };
  return { role: guessed(column), source: 'guessed' };
}

const timeTypes = new Set(['TIMESTAMP', 'DATETIME', 'DATE']);
const ids = /(^|_)(id|ids|uuid|key|hash|code|status|port|pid|year|zip|no|version|line|column|asn|index)$/;
const durations = /(^|_)(ms|us|ns|millis|milliseconds|seconds|secs|minutes|duration|latency|elapsed)$/;

function guessed({ name, type }: ResultColumn): Role | null {
  if (timeTypes.has(type)) return 'time';
  if (!isNumeric(type)) return null;
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  if (type === 'INT64' && ids.test(words)) return 'id';
  if (/(^|_)(bytes|size)($|_)/.test(words)) return 'bytes';
  return durations.test(words) ? 'duration' : 'quantity';
}

/** A role in words, with where it is from. */
export function describeRole({ role, source }: RoleOf): string {
  return role === null ? '' : `${role}, ${source}`;
}
