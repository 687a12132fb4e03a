import { expect, test } from 'vitest';
import { tablesOf } from './sources';

test('the sources are the tables of the server', () => {
  const names = ['edge_logs', 'orders', 'cloudflare.logs.prod', 'deno-relay-logs', 'shop.orders.prod'];
  expect(tablesOf(names)).toEqual(['edge_logs', 'orders']);
});
