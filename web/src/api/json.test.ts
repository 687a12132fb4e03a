import { describe, expect, test } from 'vitest';
import { asObject, compactJson, Decimal, formatJson, type Json, parseJson } from './json';

/** Whether this engine gives revivers the source text of a value. */
const keepsDigits = typeof parseJson('12345678901234567890') === 'bigint';

describe('parseJson', () => {
  test.runIf(keepsDigits)('keeps the digits of large whole numbers', () => {
    expect(parseJson('{"a":[12345678901234567890,1.5,7]}')).toEqual({ a: [12345678901234567890n, 1.5, 7] });
  });

  test.runIf(keepsDigits)('keeps the digits of exact decimals', () => {
    const digits = '-12345678901234567890123456789.123456789';
    expect(parseJson(`[${digits},0.1,0.50,100.0,1e-7]`)).toEqual([new Decimal(digits), 0.1, 0.5, 100, 1e-7]);
  });

  test('rejects invalid JSON', () => {
    expect(() => parseJson('<html>')).toThrow(SyntaxError);
  });
});

describe('formatJson and compactJson', () => {
  test.each<[Json, string, string]>([
    [null, 'null', 'null'],
    ['a "b"', '"a \\"b\\""', '"a \\"b\\""'],
    [12345678901234567890n, '12345678901234567890', '12345678901234567890'],
    [new Decimal('0.12345678901234567890'), '0.12345678901234567890', '0.12345678901234567890'],
    [[], '[]', '[]'],
    [{}, '{}', '{}'],
    [[{ a: [1, true] }], '[\n  {\n    "a": [\n      1,\n      true\n    ]\n  }\n]', '[{"a":[1,true]}]'],
    [{ a: 1n, b: { c: null } }, '{\n  "a": 1,\n  "b": {\n    "c": null\n  }\n}', '{"a":1,"b":{"c":null}}'],
  ])('%#', (value, formatted, compact) => {
    expect(formatJson(value)).toBe(formatted);
    expect(compactJson(value)).toBe(compact);
  });
});

test('a decimal is no object', () => {
  expect(asObject(new Decimal('1.5'))).toBeNull();
  expect(asObject({})).toEqual({});
});
