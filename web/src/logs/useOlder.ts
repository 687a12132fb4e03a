import { useState } from 'react';
import { type Failure, toFailure } from '../api/failure';
import { extend, type Loaded, type Page } from './loaded';

/** How the loading of older entries goes. */
export interface Older {
  busy: boolean;
  failure: Failure | null;
  load: (ask: () => Promise<Page>) => void;
}

/** Loads older entries below those that are loaded. */
export function useOlder(key: string, update: (change: (loaded: Loaded) => Loaded) => void): Older {
  const idle = { key, busy: false, failure: null as Failure | null };
  const [state, setState] = useState(idle);
  const load = (ask: () => Promise<Page>): void => {
    setState({ ...idle, busy: true });
    ask().then(
      (page) => {
        update((loaded) => extend(loaded, page));
        setState(idle);
      },
      (thrown: unknown) => setState({ ...idle, failure: toFailure(thrown) }),
    );
  };
  // What became of another question's entries is no matter of this one's.
  const { busy, failure } = state.key === key ? state : idle;
  return { busy, failure, load };
}
