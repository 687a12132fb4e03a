import { expect, test } from 'vitest';
import { add, mostEvents, release, type Tail } from './useTail';

const empty: Tail = { entries: [], waiting: [], dropped: 0, connected: false, failure: null };
const messageOf = (first: number, last: number, dropped = 0) => ({
  dropped,
  events: Array.from({ length: last - first + 1 }, (_, index) => ({
    id: String(first + index),
    eventId: String(first + index),
    timestamp: '2026-11-20T10:00:00Z',
    source: 'edge_logs',
    eventMessage: null,
    metadata: null,
  })),
});

test('new events are above the others, and lost ones are counted', () => {
  const first = add(empty, [messageOf(1, 2, 3), messageOf(3, 3)]);
  expect(first.entries.map(({ id }) => id)).toEqual(['3', '2', '1']);
  const second = add(first, [messageOf(4, 4, 2)]);
  expect(second.entries.map(({ id }) => id)).toEqual(['4', '3', '2', '1']);
  expect(second.dropped).toBe(5);
  expect(second.connected).toBe(true);
});

test('the oldest events are left out', () => {
  const { entries } = add(add(empty, [messageOf(1, mostEvents)]), [messageOf(1001, 1002)]);
  expect(entries).toHaveLength(mostEvents);
  expect(entries[0]?.id).toBe('1002');
  expect(entries.at(-1)?.id).toBe('3');
});

test('held events wait, and are shown above the others', () => {
  const first = add(empty, [messageOf(1, 1)]);
  const held = add(first, [messageOf(1, 3)], true);
  expect(held.entries.map(({ id }) => id)).toEqual(['1']);
  expect(held.waiting).toHaveLength(3);
  const released = release(held);
  expect(released.entries.map(({ id }) => id)).toEqual(['3', '2', '1']);
  expect(released.waiting).toEqual([]);
});

test('only matching events are shown', () => {
  expect(add(empty, [messageOf(1, 3)], false, ({ id }) => id === '2').entries.map(({ id }) => id)).toEqual(['2']);
});
