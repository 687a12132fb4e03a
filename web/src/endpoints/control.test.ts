import { describe, expect, test } from 'vitest';
import { controlOf } from './control';
import { parameterOf } from './endpoint.fixture';

describe('the control of a value', () => {
  test.each([
    [{}, '', 'text text'],
    [{ type: 'TIMESTAMP' }, '', 'time'],
    [{ type: 'TIME' }, '', 'text text'],
    [{ type: 'DATE' }, '2026-11-20', 'time'],
    [{ type: 'INT64' }, '', 'text numeric'],
    [{ type: 'INT64', min: '1' }, '', 'text numeric'],
    [{ type: 'INT64', min: '1', max: '90' }, '7', 'number'],
    [{ type: 'INT64', min: '1', max: '90' }, 'many', 'text numeric'],
    [{ type: 'INT64', min: '1', max: '9007199254740993' }, '7', 'text numeric'],
    [{ type: 'FLOAT64' }, '', 'text decimal'],
    [{ type: 'NUMERIC', min: '0', max: '1' }, '0.5', 'text decimal'],
    [{ type: 'FLOAT64', min: '0', max: '0.5' }, '0.25', 'number'],
    [{ type: 'FLOAT64', min: '0', max: '0.5' }, '1e-3', 'text decimal'],
    [{ type: 'ARRAY<DATE>' }, '', 'time'],
  ])('%j with the value %j is %s', (part, value, want) => {
    const control = controlOf(parameterOf(part), value, null);
    expect('inputMode' in control ? `${control.kind} ${control.inputMode}` : control.kind).toBe(want);
  });

  test('is a choice of the allowed values, and of the one that a link has', () => {
    const choices = (part: Parameters<typeof parameterOf>[0], value: string, permitted: string[] | null = null) => {
      const control = controlOf(parameterOf(part), value, permitted);
      return control.kind === 'choice' ? control.choices : null;
    };
    expect(choices({ type: 'BOOL' }, '')).toEqual(['true', 'false']);
    expect(choices({ allowed: ['a', 'b'] }, 'b')).toEqual(['a', 'b']);
    expect(choices({ allowed: ['a', 'b'] }, 'c')).toEqual(['c', 'a', 'b']);
    expect(choices({ allowed: ['a', 'b'] }, '', ['a'])).toEqual(['a']);
    expect(choices({}, '', [])).toEqual([]);
  });
});
