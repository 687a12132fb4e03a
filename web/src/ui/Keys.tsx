import './dialog.css';
import './keys.css';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { Page } from '../app/routes';
import { isTyping } from './useSlashKey';

type Key = readonly [key: string, what: string];

const Palette = lazy(() => import('./Palette'));

const chartKeys: readonly Key[] = [
  ['← →', 'On a chart: move by a bucket; also Home, End'],
  ['Enter', 'On a chart: show the logs of the bucket; with Shift and arrows, of several'],
];

const resultKeys: readonly Key[] = [
  ['← →', 'On a chart: move by a value; also Home, End'],
  ['Enter', 'On the header of a column: sort'],
  ['Shift ← →', 'On the header of a column: resize'],
];

/** The keys of each page, besides the keys of the browser. */
const keys: { [page in Page]: readonly Key[] } = {
  functions: chartKeys,
  usage: chartKeys,
  logs: [
    ['/', 'Edit the filter'],
    ['↑ ↓', 'Move through the entries, and the open one along; also Page Up, Page Down, Home, End'],
    ['Enter', 'Open or close an entry'],
    ['Esc', 'Close the entry, or the completions'],
    ['Tab', 'Move on to the open entry'],
    ['← →', 'On the histogram: move by a bucket; Enter narrows the time range to it'],
  ],
  endpoints: [['/', 'Search the saved queries'], ['↑ ↓', 'Move through the saved queries'], ...resultKeys],
  alerts: [
    ['Enter', 'Open or close an alert'],
    ['Shift ← →', 'On the header of a column: resize'],
  ],
  tokens: [],
  explore: [['Ctrl Enter', 'Run'], ['Ctrl Space', 'Complete a name'], ['Esc, Tab', 'Leave the editor'], ...resultKeys],
};

/** A button that lists the keys of a page, and the key that does. It is the default export, because it is loaded late. */
export default function Keys({ page }: { page: Page }) {
  const [open, setOpen] = useState(false);
  const [commanding, setCommanding] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key === '?' && !isTyping(event)) setOpen(true);
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault(); // Browsers go to their search.
        setCommanding(true);
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button
        type="button"
        className="button keys-button"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => setOpen(true)}
      >
        ?
      </button>
      {commanding ? (
        <Suspense>
          <Palette onClose={() => setCommanding(false)} />
        </Suspense>
      ) : null}
      {open ? <KeysDialog page={page} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function KeysDialog({ page, onClose }: { page: Page; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="dialog box" aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keys</h2>
      <dl className="facts medium keys">
        {[
          ...keys[page],
          ['Ctrl K', 'Go to a page, a saved query or a setting'] as const,
          ['?', 'Show these keys'] as const,
        ].map(([key, what]) => (
          <div key={key + what}>
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
