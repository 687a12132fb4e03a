import { useSyncExternalStore } from 'react';
import { useServices } from './context';

/** A place in the dashboard. It is immutable. */
export interface Place {
  path: string;
  search: string;
}

/** The address bar. */
export class Address {
  readonly #window: Window;
  readonly #listeners = new Set<() => void>();
  #place: Place;

  constructor(window: Window) {
    this.#window = window;
    this.#place = placeOf(window.location);
    window.addEventListener('popstate', () => this.#moved());
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly place = (): Place => this.#place;

  /** Navigates to a URL of the dashboard. */
  go(to: string): void {
    this.#window.history.pushState(null, '', to);
    this.#moved();
  }

  /** Replaces the URL without a history entry, for example while typing. */
  replace(to: string): void {
    this.#window.history.replaceState(null, '', to);
    this.#moved();
  }

  #moved(): void {
    const place = placeOf(this.#window.location);
    if (place.path === this.#place.path && place.search === this.#place.search) return;
    this.#place = place;
    for (const listener of this.#listeners) listener();
  }
}

function placeOf(location: Location): Place {
  return { path: location.pathname, search: location.search };
}

export function usePlace(): Place {
  const { address } = useServices();
  return useSyncExternalStore(address.subscribe, address.place);
}
