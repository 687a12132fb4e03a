import { useEffect, useRef } from 'react';

/** Acts when Ctrl+Enter is pressed anywhere on the page, but not in a dialog. */
export function useRunKey(act: () => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
      if (!isRun || event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
