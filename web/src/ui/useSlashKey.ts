import { useEffect, useRef } from 'react';

/** Acts when the slash key is pressed outside of fields. */
export function useSlashKey(act: () => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyping(event)) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Reports whether a key is text, or a command of the browser. */
export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const types =
    target instanceof Element && target.closest('input, select, textarea, dialog, .explore-editor') !== null;
  return types || ctrlKey || metaKey || altKey;
}
