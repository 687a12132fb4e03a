import { afterEach, describe, expect, test, vi } from 'vitest';
import { Client } from '../api/client';
import { Failure } from '../api/failure';
import type { Json } from '../api/json';
import { Session } from '../api/session';
import { memoryStore } from '../app/storage';
import { requestRows } from './rows';

const read = async (body: string, headers: { [name: string]: string } = {}) => {
  vi.stubGlobal('fetch', async () => new Response(body, { headers }));
  return requestRows(new Client(new Session(memoryStore())), '/api/endpoints/a');
};

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('requestRows', () => {
  test('returns the rows and the headers', async () => {
    const { rows, headers, body } = await read('{"result":[{"a":1}]}', { 'X-Cache': 'HIT' });
    expect(rows).toEqual([{ a: 1 }]);
    expect(headers.get('X-Cache')).toBe('HIT');
    expect(body.size).toBe(20);
  });

  test('returns columns that are before the rows', async () => {
    const columns = [{ name: '"result":[', type: 'INT64' }];
    expect((await read(JSON.stringify({ columns, result: [{ a: 1 }] }))).columns).toEqual(columns);
  });

  const count = 20_000;
  const many = (row: (index: number) => Json) => Array.from({ length: count }, (_, index) => row(index));
  test.each<[string, (index: number) => Json]>([
    ['rows', (index) => ({ a: index, b: 'é'.repeat(index % 9) })],
    ['rows with what is between two rows in a string', (index) => ({ a: '},{"a":', b: index })],
    ['rows with what is between two rows in a list', (index) => ({ a: index, list: [{ a: 1 }, { a: 2 }] })],
    ['rows without columns', () => ({})],
    ['indented rows', (index) => ({ a: index, b: 'x'.repeat(40) })],
  ])('%s of more than one part', async (name, row) => {
    const want = many(row);
    const text = JSON.stringify({ result: want }, null, name === 'indented rows' ? 2 : 0);
    expect((await read(text)).rows).toEqual(want);
  });

  test.each(['{}', '{"result":1}', '{"result":[{"a":1},{"a":', '<html>', ''])('rejects %j', async (body) => {
    await expect(read(body)).rejects.toThrow(Failure);
  });
});
