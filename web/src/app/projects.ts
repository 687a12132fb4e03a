import { useEffect, useMemo } from 'react';
import { useServices } from './context';
import { remember, remembered } from './remembered';

/** What was used before, to be suggested; remembers the present one once it has been found to exist. */
export function useUsed(kind: string, entry: string, exists: boolean): string[] {
  const { store } = useServices();
  useEffect(() => {
    if (exists) remember(store, kind, entry);
  }, [store, kind, entry, exists]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is remembered changes with the entry.
  return useMemo(() => remembered(store, kind), [store, kind, entry, exists]);
}
