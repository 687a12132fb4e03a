import { useState } from 'react';
import { type Failure, toFailure } from '../api/failure';
import { extend, type Loaded, type Page } from './loaded';

/** The state of loading older entries. */
export interface Older {
  busy: boolean;
  failure: Failure | null;
  load: (request: () => Promise<Page>) => void;
}

/** Loads older entries below those that are loaded. */
export function useOlder(key: string, update: (change: (loaded: Loaded) => Loaded) => void): Older {
  const idle = { key, busy: false, failure: null as Failure | null };
  const [state, setState] = useState(idle);
  const load = (request: () => Promise<Page>): void => {
    setState({ ...idle, busy: true });
    request().then(
      (page) => {
        update((loaded) => extend(loaded, page));
        setState(idle);
      },
      (thrown: unknown) => setState({ ...idle, failure: toFailure(thrown) }),
    );
  };
  // The state of another request does not apply to this one.
  const { busy, failure } = state.key === key ? state : idle;
  return { busy, failure, load };
}
