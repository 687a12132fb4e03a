import { describe, expect, test } from 'vitest';
import { planOf } from './plan';
import type { ResultColumn } from './types';

const column = (name: string, type: string, fields: ResultColumn[] = []): ResultColumn => ({ name, type, fields });

/** The plan in short. */
function short(...columns: ResultColumn[]): string {
  const plan = planOf(columns);
  if (plan.kind === 'none') return plan.reason;
  const over = plan.kind === 'time' ? plan.time : plan.category;
  return [plan.kind, over?.name, plan.numbers.map(({ name }) => name), ...plan.notes].join(' | ');
}

describe('planOf', () => {
  test('numbers over the first time', () => {
    expect(short(column('day', 'DATE'), column('n', 'INT64'), column('at', 'TIMESTAMP'))).toBe('time | day | n');
  });

  test('bars by the first name, or else by the first of several whole numbers', () => {
    expect(short(column('n', 'INT64'), column('path', 'STRING'))).toBe('categories | path | n');
    expect(short(column('status', 'INT64'), column('n', 'INT64'))).toBe('categories | status | n');
    expect(short(column('mean', 'FLOAT64'), column('n', 'INT64'))).toBe('categories |  | mean,n');
    expect(short(column('1', 'INT64'))).toBe('categories |  | 1');
  });

  test('fields of structs are drawn, and arrays are refused with a reason', () => {
    const place = column('place', 'STRUCT', [column('point', 'STRUCT', [column('lat', 'FLOAT64')])]);
    expect(short(column('day', 'DATE'), place)).toBe('time | day | place.point.lat');
    expect(short(column('day', 'DATE'), column('sizes', 'ARRAY<INT64>'))).toBe(
      'A chart needs a column of numbers. An array has several values in one row, which have no place in a chart: sizes.',
    );
    expect(short(column('path', 'STRING'), column('extra', 'JSON'))).toBe(
      'A chart needs a column of numbers. JSON has no type to draw: extra.',
    );
  });
});
