import { QueryClient } from '@tanstack/react-query';
import { Client } from '../api/client';
import { Session } from '../api/session';
import { Address } from './address';
import type { Services } from './context';
import { Preferences } from './preferences';
import { openStorage } from './storage';

/** Creates the services of a page. It takes a token from the URL before the first request. */
export function startServices(window: Window): Services {
  const store = openStorage(() => window.localStorage);
  const session = new Session(store);
  session.followOtherTabs(window);
  session.takeFromAddress(window);
  // A URL with a token may be pasted into an open page.
  window.addEventListener('hashchange', () => session.takeFromAddress(window));
  const queries = new QueryClient();
  queries.mount(); // It watches whether the page is visible.
  return {
    client: new Client(session),
    queries,
    session,
    address: new Address(window),
    preferences: new Preferences(store, window.document.documentElement),
    store,
  };
}
