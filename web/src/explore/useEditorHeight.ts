import { useState } from 'react';
import { useServices } from '../app/context';

/** Where the browser keeps the height of the editor. */
const key = 'savedq.explore.height';

export const leastEditor = 120;

/** So that the rows stay in reach. */
export const mostEditor = (): number => Math.max(leastEditor, Math.round(innerHeight * 0.8));

/** The height of the editor that was chosen, in pixels; null for the part of the window that the style sheet says. */
export function useEditorHeight(): [number | null, (height: number) => void] {
  const { store } = useServices();
  const [chosen, setChosen] = useState(() => Number(store.getItem(key) ?? 0));
  return [
    chosen > 0 ? Math.min(mostEditor(), Math.max(leastEditor, chosen)) : null,
    (wanted) => {
      setChosen(wanted);
      store.setItem(key, String(wanted));
    },
  ];
}
