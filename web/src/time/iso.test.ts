import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Zone } from './format';
import { fromPicker, parseTime, readTime, showTime, toPicker } from './iso';

// D11.
describe('parseTime', () => {
  test.each([
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20 10:00', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:30', '2026-11-20T10:00:30.000Z'],
    ['2026-11-20T10:00:30.25Z', '2026-11-20T10:00:30.250Z'],
    ['2026-11-20T10:00:30.123456789Z', '2026-11-20T10:00:30.123Z'],
    ['2026-11-20T10:00+02:00', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20T10:00-0330', '2026-11-20T13:30:00.000Z'],
    ['2026-11-20 10:00+02', '2026-11-20T08:00:00.000Z'],
    [' 2026-02-28 ', '2026-02-28T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ])('%s', (text, want) => {
    expect(parseTime(text)?.toISOString()).toBe(want);
  });

  test.each([
    '',
    '1 March',
    '2026-11',
    '2026-13-01',
    '2026-02-29',
    '2026-11-20T24:00',
    '2026-11-20T10:60',
    '2026-11-20T10:00:61',
    '2026-11-20T10',
    '2026-11-20T10:00:00.1234567890',
    '2026-11-20T10:00+2',
    '2026-11-20Z',
    '1795132800000000',
  ])('%j is no time', (text) => {
    expect(parseTime(text)).toBeNull();
  });
});

describe('a picker', () => {
  afterEach(() => vi.unstubAllEnvs());

  test.each<[string, Zone, string]>([
    ['', 'utc', ''],
    ['', 'local', ''],
    ['yesterday', 'local', ''],
    ['2026-11-20', 'utc', '2026-11-20T00:00:00'],
    ['2026-11-20 10:00+01:00', 'utc', '2026-11-20T09:00:00'],
    ['2026-11-20T10:00:30.25Z', 'utc', '2026-11-20T10:00:30'],
    ['2026-11-20T10:00:30.25Z', 'local', '2026-11-20T05:00:30'],
    ['2026-07-01', 'local', '2026-06-30T20:00:00'],
    ['0002-11-20T14:56:02Z', 'local', '0002-11-20T10:00:00'],
  ])('shows %j in the zone %s as %j', (text, zone, want) => {
    vi.stubEnv('TZ', 'America/New_York');
    expect(toPicker(text, zone)).toBe(want);
  });

  test.each<[string, Zone, string]>([
    ['', 'local', ''],
    ['2026-11-20T10:00', 'utc', '2026-11-20T10:00:00Z'],
    ['2026-11-20T05:00:30', 'local', '2026-11-20T10:00:30Z'],
    ['2026-06-30T20:00', 'local', '2026-07-01T00:00:00Z'],
    ['12026-06-30T20:00', 'local', '12026-06-30T20:00'],
  ])('reads %j in the zone %s as %j', (value, zone, want) => {
    vi.stubEnv('TZ', 'America/New_York');
    expect(fromPicker(value, zone)).toBe(want);
  });
});

describe('a typed time', () => {
  afterEach(() => vi.unstubAllEnvs());

  test.each<[string, Zone, string | null]>([
    ['2026-11-24 04:00', 'utc', '2026-11-24T04:00:00Z'],
    ['2026-11-24 04:00', 'local', '2026-11-24T09:00:00Z'],
    [' 2026-11-24T04:00:05 ', 'utc', '2026-11-24T04:00:05Z'],
    ['2026-11-24', 'local', '2026-11-24T05:00:00Z'],
    ['24.11.2026', 'utc', null],
    ['2026-11-31 04:00', 'utc', null],
    ['2026-11-24 25:00', 'utc', null],
    ['', 'utc', null],
  ])('%j in the zone %s is %j', (typed, zone, want) => {
    vi.stubEnv('TZ', 'America/New_York');
    expect(readTime(typed, zone)).toBe(want);
  });

  test('is shown as it is typed', () => {
    expect(showTime('2026-11-24T04:00:00Z', 'utc')).toBe('2026-11-24 04:00');
    expect(showTime('2026-11-24T04:00:05Z', 'utc')).toBe('2026-11-24 04:00:05');
    expect(showTime('yesterday', 'utc')).toBe('');
  });
});
