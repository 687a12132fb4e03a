import type { QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Client } from '../api/client';
import type { Access, Session } from '../api/session';
import type { Address } from './address';
import { useObservable } from './observable';
import type { Preferences } from './preferences';
import type { TextStore } from './storage';

/** The services of the pages, created once in main.tsx. */
export interface Services {
  client: Client;
  /** The responses of the server, and the requests in progress. */
  queries: QueryClient;
  session: Session;
  address: Address;
  preferences: Preferences;
  /** Persists beyond the session. */
  store: TextStore;
}

export const ServicesContext = createContext<Services | null>(null);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === null) throw new Error('There are no services here.');
  return services;
}

export function useAccess(): Access {
  return useObservable(useServices().session);
}
