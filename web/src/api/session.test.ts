import { afterEach, describe, expect, test, vi } from 'vitest';
import { memoryStore } from '../app/storage';
import { isToken, Session } from './session';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Responds to every request with a status, and records the tokens. */
function stubServer(status: () => number): (string | null)[] {
  const sent: (string | null)[] = [];
  vi.stubGlobal('fetch', async (_input: unknown, init: RequestInit) => {
    sent.push(new Headers(init.headers).get('Authorization'));
    return new Response('', { status: status() });
  });
  return sent;
}

describe('Session', () => {
  test('sends no token without having one, and is denied by a 401', async () => {
    const sent = stubServer(() => 401);
    const session = new Session(memoryStore());
    void session.fetch('/graphql');
    await vi.waitFor(() => expect(session.access().denied).toBe(true));
    expect(sent).toEqual([null]);
    expect(session.access()).toEqual({ token: null, denied: true, reason: null, generation: 0 });
  });

  test('a rejected request waits for another token, and is sent again', async () => {
    const sent = stubServer(() => (sent.at(-1) === 'Bearer right' ? 200 : 401));
    const session = new Session(memoryStore());
    const response = session.fetch('/graphql');
    await vi.waitFor(() => expect(session.access().denied).toBe(true));
    session.use('wrong');
    await vi.waitFor(() => expect(session.access().denied).toBe(true));
    session.use('right');
    expect((await response).status).toBe(200);
    expect(sent).toEqual([null, 'Bearer wrong', 'Bearer right']);
  });

  test('other failures do not deny access', async () => {
    stubServer(() => 403);
    const session = new Session(memoryStore());
    await session.fetch('/graphql');
    expect(session.access().denied).toBe(false);
  });

  test('stores a token until sign-out', async () => {
    const sent = stubServer(() => 200);
    const store = memoryStore();
    new Session(store).use('abc');
    const session = new Session(store);
    await session.fetch('/graphql');
    session.forget();
    await session.fetch('/graphql');
    expect(sent).toEqual(['Bearer abc', null]);
    expect(new Session(store).access().token).toBeNull();
  });

  test('a response to an earlier token does not deny the current one', async () => {
    const sent = stubServer(() => (sent.length === 1 ? 401 : 200));
    const session = new Session(memoryStore());
    const early = session.fetch('/graphql');
    session.use('abc');
    await early;
    expect(sent).toEqual([null, 'Bearer abc']);
    expect(session.access()).toEqual({ token: 'abc', denied: false, reason: null, generation: 1 });
  });

  test('follows the other tabs of the browser', () => {
    const store = memoryStore();
    const [here, there] = [new Session(store), new Session(store)];
    const window = new EventTarget();
    here.followOtherTabs(window as unknown as Window);
    const changed = (key: string | null): boolean => window.dispatchEvent(Object.assign(new Event('storage'), { key }));
    there.use('abc');
    changed('savedq.token');
    expect(here.access()).toEqual({ token: 'abc', denied: false, reason: null, generation: 1 });
    changed('savedq.preferences');
    changed('savedq.token');
    expect(here.access().generation).toBe(1);
    there.forget();
    changed(null);
    expect(here.access()).toEqual({ token: null, denied: false, reason: null, generation: 2 });
  });

  test('notifies its listeners', () => {
    const session = new Session(memoryStore());
    const listener = vi.fn();
    const stop = session.subscribe(listener);
    session.use('abc');
    stop();
    session.forget();
    expect(listener).toHaveBeenCalledTimes(1);
  });
});

describe('isToken', () => {
  test.each([
    ['savedq_a-b_C', true],
    ['', false],
    ['two words', false],
    ['line\nbreak', false],
    ['schlüssel', false],
  ])('%j', (text, want) => {
    expect(isToken(text)).toBe(want);
  });

  test('keeps why a token was rejected, from either interface, and the name of the token', async () => {
    for (const body of ['{"error":{"message":"the token expired"}}', '{"errors":[{"message":"the token expired"}]}']) {
      vi.stubGlobal('fetch', async () => new Response(body, { status: 401 }));
      const store = memoryStore();
      const session = new Session(store);
      session.use('abc');
      session.noteName('dashboards');
      void session.fetch('/graphql');
      await vi.waitFor(() => expect(session.access()).toMatchObject({ denied: true, reason: 'the token expired' }));
      expect(session.name).toBe('dashboards');
      expect(await session.rejection('abc')).toBe('the token expired');
      session.use('def');
      expect(session.name).toBeNull();
    }
  });
});
