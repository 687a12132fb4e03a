import { expect, test } from 'vitest';
import { sourceChoices } from './sources';

test('the choices are the tables of the server, and the one of a link', () => {
  const names = ['edge_logs', 'orders', 'cloudflare.logs.prod', 'deno-relay-logs', 'shop.orders.prod'];
  const values = (source: string) => sourceChoices(names, source).map(({ value }) => value);
  expect(values('')).toEqual(['', 'edge_logs', 'orders']);
  expect(values('orders')).toEqual(['', 'edge_logs', 'orders']);
  expect(values('mails')).toEqual(['', 'mails', 'edge_logs', 'orders']);
});
