import { QueryClient } from '@tanstack/react-query';
import { Client } from '../api/client';
import { Session } from '../api/session';
import { Address } from './address';
import type { Services } from './context';
import { Preferences } from './preferences';
import { openStorage } from './storage';

/** Makes what a page works with. It takes a token out of the address before anything is requested. */
export function startServices(window: Window): Services {
  const store = openStorage(() => window.localStorage);
  const session = new Session(store);
  session.followOtherTabs(window);
  session.takeFromAddress(window);
  // Whenever somebody pastes such an address.
  window.addEventListener('hashchange', () => session.takeFromAddress(window));
  return {
    client: new Client(session),
    queries: new QueryClient(),
    session,
    address: new Address(window),
    preferences: new Preferences(store, window.document.documentElement),
    store,
  };
}
