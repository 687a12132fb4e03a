import { type RefObject, useEffect, useRef, useState } from 'react';

const keys = [
  ['/', 'Edit the filter'],
  ['↑ ↓', 'Move through the entries; also Page Up, Page Down, Home, End'],
  ['Enter', 'Open or close an entry'],
  ['Esc', 'Close an entry, or the completions'],
  ['Tab', 'Move into an open entry'],
  ['← →', 'On the histogram: move by a bucket; Enter narrows the time range to it'],
  ['?', 'Show these keys'],
] as const;

/** Lets "/" lead to the filter, and "?" open the list of keys. Returns whether it is open. */
export function useLogKeys(bar: RefObject<HTMLElement | null>): [boolean, (open: boolean) => void] {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const types = event.target instanceof Element && event.target.closest('input, textarea, select, dialog') !== null;
      if (types || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '/') {
        event.preventDefault();
        bar.current?.querySelector('input')?.select();
        bar.current?.querySelector('input')?.focus();
      }
      if (event.key === '?') setOpen(true);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [bar]);
  return [open, setOpen];
}

/** The keys of the page. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="dialog box" aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keys</h2>
      <dl className="facts medium keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" className="buttons row">
        <button type="submit" className="button button-main">
          Close
        </button>
      </form>
    </dialog>
  );
}
