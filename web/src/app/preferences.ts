import { useSyncExternalStore } from 'react';
import type { Zone } from '../time/format';
import { useServices } from './context';
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
export class Preferences {
  readonly #store: TextStore;
  readonly #root: HTMLElement;
  readonly #listeners = new Set<() => void>();
  #liking: Liking;

  constructor(store: TextStore, root: HTMLElement) {
    this.#store = store;
    this.#root = root;
    this.#liking = parse(store.getItem(key));
    this.#apply();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly liking = (): Liking => this.#liking;

  change(part: Partial<Liking>): void {
    this.#liking = { ...this.#liking, ...part };
    this.#store.setItem(key, JSON.stringify(this.#liking));
    this.#apply();
    for (const listener of this.#listeners) listener();
  }

  #apply(): void {
    const { theme } = this.#liking;
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
  const { preferences } = useServices();
  return useSyncExternalStore(preferences.subscribe, preferences.liking);
}
