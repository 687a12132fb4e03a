import { afterEach, describe, expect, test, vi } from 'vitest';
import { memoryStore } from '../app/storage';
import { EndpointsDocument } from '../endpoints/gql/graphql';
import { Client } from './client';
import { Failure } from './failure';
import { Session } from './session';

afterEach(() => {
  vi.unstubAllGlobals();
});

function respond(status: number, body: string, headers: { [name: string]: string } = {}): Client {
  vi.stubGlobal('fetch', async () => new Response(body, { status, headers }));
  return new Client(new Session(memoryStore()));
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown.details;
    throw thrown;
  }
  throw new Error('It did not fail.');
}

describe('query', () => {
  test('returns the data and its freshness', async () => {
    const freshness = { cache: 'HIT', ageSeconds: 3 };
    const client = respond(
      200,
      JSON.stringify({ data: { endpoints: [] }, extensions: { freshness: { x: freshness } } }),
    );
    const response = await client.query(EndpointsDocument, {});
    expect(response.data).toEqual({ endpoints: [] });
    expect(response.freshness).toEqual({ x: freshness });
  });

  test.each([
    [
      'an error of the server',
      respondWith(400, { errors: [{ message: 'no', extensions: { code: 'INVALID_ARGUMENT', argument: 'project' } }] }),
      { code: 'INVALID_ARGUMENT', message: 'no', argument: 'project', status: 400, requestId: 'r-1' },
    ],
    [
      'an error beside data that is null',
      respondWith(200, { data: null, errors: [{ message: 'broken', extensions: { code: 'INTERNAL' } }] }),
      { code: 'INTERNAL', message: 'broken', status: 200, requestId: 'r-1' },
    ],
    [
      'an error with the message of the engine',
      respondWith(200, {
        errors: [{ message: 'broken', extensions: { code: 'INTERNAL', cause: 'Binder Error: no' } }],
      }),
      { code: 'INTERNAL', cause: 'Binder Error: no' },
    ],
    ['no JSON', { status: 502, body: '<html>' }, { code: 'UNEXPECTED_RESPONSE', status: 502 }],
    ['no data', respondWith(200, {}), { code: 'UNEXPECTED_RESPONSE', status: 200 }],
  ])('%s', async (_name, { status, body }, want) => {
    const client = respond(status, body, { 'X-Request-Id': 'r-1' });
    expect(await failureOf(client.query(EndpointsDocument, {}))).toMatchObject(want);
  });

  test('a server that cannot be reached', async () => {
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')));
    const client = new Client(new Session(memoryStore()));
    expect(await failureOf(client.query(EndpointsDocument, {}))).toMatchObject({ code: 'UNREACHABLE' });
  });
});

describe('request', () => {
  test.each([
    [
      'an error',
      400,
      '{"error":{"code":"INVALID_ARGUMENT","message":"interval: no","argument":"interval"}}',
      { code: 'INVALID_ARGUMENT', message: 'interval: no', argument: 'interval' },
    ],
    [
      'an error with the message of the engine',
      500,
      '{"error":{"code":"INTERNAL","message":"broken","cause":"Binder Error: no"}}',
      { code: 'INTERNAL', message: 'broken', cause: 'Binder Error: no' },
    ],
    ['another server', 404, '{"message":"?"}', { code: 'UNEXPECTED_RESPONSE' }],
  ])('%s', async (_name, status, body, want) => {
    expect(await failureOf(respond(status, body).request('/api/endpoints/a'))).toMatchObject(want);
  });
});

function respondWith(status: number, body: unknown) {
  return { status, body: JSON.stringify(body) };
}
