import { useEffect, useMemo } from 'react';
import { useServices } from './context';
import type { TextStore } from './storage';

/** How many entries of a kind are remembered. */
const most = 12;

/** The recently used entries of a kind, latest first. */
export function remembered(store: TextStore, kind: string): string[] {
  try {
    const stored: unknown = JSON.parse(store.getItem(keyOf(kind)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((entry) => typeof entry === 'string') : [];
  } catch {
    return []; // The stored value is not ours.
  }
}

/** Remembers an entry as the latest of its kind. */
export function remember(store: TextStore, kind: string, entry: string): void {
  if (entry === '') return;
  const others = remembered(store, kind).filter((other) => other !== entry);
  store.setItem(keyOf(kind), JSON.stringify([entry, ...others].slice(0, most)));
}

function keyOf(kind: string): string {
  return `savedq.used.${kind}`;
}

/** The values used before; remembers the current one if it exists. */
export function useUsed(kind: string, entry: string, exists: boolean): string[] {
  const { store } = useServices();
  useEffect(() => {
    if (exists) remember(store, kind, entry);
  }, [store, kind, entry, exists]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: remembered values change with the entry.
  return useMemo(() => remembered(store, kind), [store, kind, entry, exists]);
}
