import { useEffect, useMemo } from 'react';
import { useServices } from './context';
import { remember, remembered } from './remembered';

/** The values used before; remembers the current one if it exists. */
export function useUsed(kind: string, entry: string, exists: boolean): string[] {
  const { store } = useServices();
  useEffect(() => {
    if (exists) remember(store, kind, entry);
  }, [store, kind, entry, exists]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: remembered values change with the entry.
  return useMemo(() => remembered(store, kind), [store, kind, entry, exists]);
}
