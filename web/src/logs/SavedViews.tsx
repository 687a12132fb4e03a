import { type FormEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import { useServices } from '../app/context';
import { Link } from '../app/Link';
import { type LogsState, write } from '../app/routes';
import { CopyButton } from '../ui/CopyButton';
import { ChevronIcon, CloseIcon } from '../ui/icons';
import { forgetView, type SavedView, savedViews, saveView } from './views';

/** A button that opens the saved views: links with names, which this browser keeps. It is the default export, because it is loaded late. */
export default function SavedViews({ state }: { state: LogsState }) {
  const { store } = useServices();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const [views, setViews] = useState(() => savedViews(store));
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const here = write.logs({ ...state, entry: '' });
  const current = views.find(({ address }) => address === here);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && open) close();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() === '') {
      setProblem('Give the view a name.');
      return;
    }
    setViews(saveView(store, { name: name.trim(), address: here }));
    setName('');
    setProblem(null);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it closes what is within it.
    <div
      className="saved-views"
      onKeyDown={press}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <button
        ref={button}
        type="button"
        className="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <ChevronIcon />
        <span className="truncate">{current?.name ?? 'Views'}</span>
      </button>
      {open ? (
        <section id={id} className="saved-view-list box sections" aria-label="Saved views" tabIndex={-1}>
          {views.length === 0 ? (
            <p className="muted small">
              A view is the link to what this page shows, with a name. This browser keeps it.
            </p>
          ) : (
            <ul className="stack">
              {views.map((view) => (
                <ViewItem
                  key={view.name}
                  view={view}
                  current={view === current}
                  onForget={() => setViews(forgetView(store, view.name))}
                />
              ))}
            </ul>
          )}
          <form className="row" onSubmit={submit}>
            <input
              aria-label="Name of the view"
              aria-invalid={problem !== null}
              placeholder="Name of this view"
              value={name}
              maxLength={80}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
            <button type="submit" className="button button-main">
              Save
            </button>
            {problem === null ? null : (
              <p className="field-problem" role="alert">
                {problem}
              </p>
            )}
          </form>
        </section>
      ) : null}
    </div>
  );
}

interface ViewItemProps {
  view: SavedView;
  current: boolean;
  onForget: () => void;
}

function ViewItem({ view: { name, address }, current, onForget }: ViewItemProps) {
  return (
    <li className="value-row">
      <Link href={address} className="wrap" aria-current={current ? 'true' : undefined}>
        {name}
      </Link>
      <span className="value-actions">
        <CopyButton
          label={`Copy the link of ${name}`}
          iconOnly
          text={() => new URL(address, window.location.href).href}
        />
        <button type="button" title="Remove" aria-label={`Remove the view ${name}`} onClick={onForget}>
          <CloseIcon />
        </button>
      </span>
    </li>
  );
}
