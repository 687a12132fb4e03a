import { compactJson, type Json } from '../api/json';
import { exactTime } from './format';
import { numberOf } from './series';
import { forEachIn, type Steps } from './steps';
import { isNumeric, type ResultColumn, type Row } from './types';

type Test = (row: Row) => boolean;

/** A word, with quotes around what has spaces, such as path:"a b". */
const word = /(?:"[^"]*"|\S)+/g;
const comparison = /^(\w+)(>=|<=|!=|[=<>:])(.*)$/s;

/**
 * The positions of the rows that match all words of a filter: a text that a value contains, in any case, or a column
 * with a comparison, such as status>=500, path:/rest or ok!=true.
 */
export function* matching(rows: readonly Row[], columns: readonly ResultColumn[], filter: string): Steps<number[]> {
  const tests = testsOf(filter, columns);
  const found: number[] = [];
  yield* forEachIn(rows, (row, index) => {
    if (tests.every((test) => test(row))) found.push(index);
  });
  return found;
}

function testsOf(filter: string, columns: readonly ResultColumn[]): Test[] {
  return (filter.match(word) ?? []).map((part) => {
    const [, name = '', operator = '', rest = ''] = comparison.exec(part) ?? [];
    const column = columns.find((one) => one.name.toLowerCase() === name.toLowerCase());
    return column === undefined ? containing(part, columns) : comparing(column, operator, unquoted(rest));
  });
}

const unquoted = (text: string): string => text.replaceAll('"', '').toLowerCase();

function containing(part: string, columns: readonly ResultColumn[]): Test {
  const wanted = unquoted(part);
  return (row) => columns.some(({ name, type }) => textOf(row[name] ?? null, type).includes(wanted));
}

const comparisons: { [operator: string]: <Value>(left: Value, right: Value) => boolean } = {
  '=': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
};

function comparing({ name, type }: ResultColumn, operator: string, wanted: string): Test {
  const number = isNumeric(type) && wanted !== '' ? Number(wanted) : Number.NaN;
  const compare = comparisons[operator];
  return (row) => {
    const value = row[name] ?? null;
    // NULL is neither less nor more than another value.
    if (value === null) return (operator === '=' && wanted === 'null') || (operator === '!=' && wanted !== 'null');
    const text = textOf(value, type);
    if (compare === undefined) return text.includes(wanted);
    return Number.isNaN(number) ? compare(text, wanted) : compare(numberOf(value) ?? Number.NaN, number);
  };
}

/** A value as a filter reads it, in lower case. */
function textOf(value: Json, type: string): string {
  if (typeof value === 'string') return value.toLowerCase();
  if (type === 'TIMESTAMP' && typeof value === 'number') return exactTime(value).toLowerCase();
  return compactJson(value).toLowerCase();
}
