import type { Zone } from '../time/format';
import { useServices } from './context';
import { Observable, useObservable } from './observable';
import type { TextStore } from './storage';

export type Theme = 'system' | 'light' | 'dark';

/** The preferences of a viewer. They are immutable, and not in the URL. */
export interface Liking {
  theme: Theme;
  zone: Zone;
  /** Whether pages refresh automatically. */
  live: boolean;
}

const key = 'savedq.preferences';
const defaults: Liking = { theme: 'system', zone: 'local', live: true };

/** Stores the preferences, and applies the theme. */
export class Preferences extends Observable<Liking> {
  readonly #store: TextStore;
  readonly #root: HTMLElement;

  constructor(store: TextStore, root: HTMLElement) {
    super(parse(store.getItem(key)));
    this.#store = store;
    this.#root = root;
    this.#apply();
  }

  change(part: Partial<Liking>): void {
    this.set({ ...this.get(), ...part });
    this.#store.setItem(key, JSON.stringify(this.get()));
    this.#apply();
  }

  #apply(): void {
    const { theme } = this.get();
    if (theme === 'system') delete this.#root.dataset.theme;
    else this.#root.dataset.theme = theme;
  }
}

function parse(text: string | null): Liking {
  try {
    const stored = JSON.parse(text ?? '{}') as Partial<Liking>;
    return {
      theme: stored.theme === 'light' || stored.theme === 'dark' ? stored.theme : defaults.theme,
      zone: stored.zone === 'utc' ? 'utc' : defaults.zone,
      live: stored.live !== false,
    };
  } catch {
    return defaults; // The stored value is not ours.
  }
}

export function useLiking(): Liking {
  return useObservable(useServices().preferences);
}
