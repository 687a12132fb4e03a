import { describe, expect, test } from 'vitest';
import type { Freshness } from '../api/freshness';
import { begin, extend, type LogEntry, type Page, pageSize, refresh } from './loaded';

const freshness: Freshness = {
  cache: 'OFF',
  ageSeconds: 0,
  asOf: '2026-11-20T12:00:00Z',
  truncated: false,
  rowsRead: 0,
  rowsReused: 0,
  bytesProcessed: 0,
  bytesReused: 0,
};

/** Entries of the seconds from one down to another, each named after its second. */
function entries(from: number, to: number): LogEntry[] {
  const list: LogEntry[] = [];
  for (let second = from; second >= to; second--) {
    list.push({ id: `e${second}`, timestamp: at(second), eventMessage: null, metadata: null });
  }
  return list;
}

function at(second: number): string {
  return new Date(second * 1000).toISOString();
}

function page(list: LogEntry[], start: string | null = null): Page {
  return {
    entries: list,
    variables: { project: 'acme', tier: 'FREE', start },
    filtered: false,
    freshness,
    receivedAt: 1,
  };
}

const ids = (list: { entries: LogEntry[] }): string[] => list.entries.map((entry) => entry.id);

describe('begin', () => {
  test('only a full page has more behind it', () => {
    expect(begin(page(entries(pageSize, 1))).more).toBe(true);
    expect(begin(page(entries(pageSize, 2))).more).toBe(false);
  });
});

describe('extend', () => {
  test('drops the entries that are known', () => {
    const loaded = extend(begin(page(entries(200, 101))), page(entries(101, 2)));
    expect(ids(loaded)).toEqual(ids({ entries: entries(200, 2) }));
    expect(loaded.more).toBe(true);
  });

  test('ends at a page that is not full', () => {
    expect(extend(begin(page(entries(200, 101))), page(entries(101, 90))).more).toBe(false);
  });

  test('ends where a full page has nothing new', () => {
    const list = entries(200, 101);
    expect(extend(begin(page(list)), page(list)).more).toBe(false);
  });
});

describe('refresh', () => {
  const loaded = extend(begin(page(entries(200, 101))), page(entries(101, 2)));

  test('puts new entries above those that are loaded', () => {
    expect(ids(refresh(loaded, page(entries(205, 106))))).toEqual(ids({ entries: entries(205, 2) }));
  });

  test('takes late entries in', () => {
    const late = { ...entries(150, 150)[0], id: 'late' } as LogEntry;
    const newest = [...entries(200, 150), late, ...entries(149, 102)];
    expect(ids(refresh(loaded, page(newest)))).toContain('late');
  });

  test('starts over if entries between are unknown', () => {
    const fresh = refresh(loaded, page(entries(400, 301)));
    expect(ids(fresh)).toEqual(ids({ entries: entries(400, 301) }));
    expect(fresh.more).toBe(true);
  });

  test('a page that is not full is all there is', () => {
    expect(ids(refresh(loaded, page(entries(200, 190))))).toEqual(ids({ entries: entries(200, 190) }));
    expect(ids(refresh(loaded, page([])))).toEqual([]);
  });

  test('drops what has fallen out of the range', () => {
    expect(ids(refresh(loaded, page(entries(205, 106), at(50))))).toEqual(ids({ entries: entries(205, 51) }));
  });
});
