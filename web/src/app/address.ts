import { useServices } from './context';
import { Observable, useObservable } from './observable';

/** A place in the dashboard. It is immutable. */
export interface Place {
  path: string;
  search: string;
}

/** The address bar. */
export class Address extends Observable<Place> {
  readonly #window: Window;

  constructor(window: Window) {
    super(placeOf(window.location));
    this.#window = window;
    window.addEventListener('popstate', () => this.#moved());
  }

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
    const { path, search } = this.get();
    if (place.path !== path || place.search !== search) this.set(place);
  }
}

function placeOf(location: Location): Place {
  return { path: location.pathname, search: location.search };
}

export function usePlace(): Place {
  return useObservable(useServices().address);
}
