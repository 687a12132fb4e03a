import { Decimal, type Json } from '../api/json';
import { type Roles, roleOf } from './roles';
import { forEachIn, type Steps } from './steps';
import type { ResultColumn, Row } from './types';

/** The sums of the columns that can be added up, by name. */
export interface Totals {
  [column: string]: Json;
}

/** Adds up the quantities, durations and bytes of some rows, without rounding whole numbers and NUMERICs. */
export function* totalsOf(
  rows: readonly Row[],
  indexes: readonly number[],
  columns: readonly ResultColumn[],
  roles: Roles,
): Steps<Totals> {
  const totals: Totals = {};
  for (const column of columns) {
    const { role } = roleOf(column, roles);
    if (role !== 'quantity' && role !== 'duration' && role !== 'bytes') continue;
    totals[column.name] = yield* sumOf(rows, indexes, column);
  }
  return totals;
}

function* sumOf(rows: readonly Row[], indexes: readonly number[], { name, type }: ResultColumn): Steps<Json> {
  let count = 0;
  if (type === 'FLOAT64') {
    let sum = 0;
    yield* forEachIn(indexes, (index) => {
      const value = rows[index]?.[name] ?? null;
      if (value === null) return;
      sum += value instanceof Decimal ? Number(value.digits) : Number(value);
      count++;
    });
    return count === 0 ? null : sum;
  }
  let sum = 0n;
  yield* forEachIn(indexes, (index) => {
    const value = rows[index]?.[name] ?? null;
    if (value === null) return;
    sum += unitsOf(value);
    count++;
  });
  return count === 0 ? null : numberFrom(sum);
}

/** As many decimals as a BIGNUMERIC has. */
const scale = 38;
const one = 10n ** BigInt(scale);

/** A number in units of its last possible decimal. */
function unitsOf(value: Json): bigint {
  if (typeof value === 'bigint') return value * one;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value) * one;
  const digits = value instanceof Decimal ? value.digits : String(value);
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digits) ?? [];
  const units = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'));
  return sign === '' ? units : -units;
}

function numberFrom(units: bigint): Json {
  const absolute = units < 0n ? -units : units;
  const whole = (units < 0n ? '-' : '') + absolute / one;
  const fraction = String(absolute % one)
    .padStart(scale, '0')
    .replace(/0+$/, '');
  if (fraction !== '') return new Decimal(`${whole}.${fraction}`);
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : BigInt(whole);
}
