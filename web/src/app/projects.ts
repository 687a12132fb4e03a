import { useEffect, useMemo } from 'react';
import { useServices } from './context';
import { remember, remembered } from './remembered';

/** The project of demo logs, and of a server with a single project. */
const firstProject = 'default';

/** The project of a page whose address names none. */
export function useUsualProject(): string {
  const { store } = useServices();
  return remembered(store, 'project')[0] ?? firstProject;
}

/** What was used before, to be suggested; and remembers the present one once it has shown to exist. */
export function useUsed(kind: string, entry: string, exists: boolean): string[] {
  const { store } = useServices();
  useEffect(() => {
    if (exists) remember(store, kind, entry);
  }, [store, kind, entry, exists]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is remembered changes with the entry.
  return useMemo(() => remembered(store, kind), [store, kind, entry, exists]);
}
