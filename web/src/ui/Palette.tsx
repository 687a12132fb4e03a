import './dialog.css';
import './palette.css';
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useServices } from '../app/context';
import { type Theme, useLiking } from '../app/preferences';
import { remembered } from '../app/remembered';
import { address as addressOf, graphiqlPath, pageAt, pageNames, paths } from '../app/routes';
import { useViewer, usualProject, type Viewer, visiblePages } from '../app/viewer';
import { matching } from './commands';

/** Something that can be done from everywhere. */
interface Command {
  name: string;
  /** What kind it is of. */
  kind: string;
  run: () => void;
}

/** How many commands are shown. */
const most = 12;

/** A field that finds pages, saved queries and settings by parts of their names. It is the default export, because it is loaded late. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const commands = useCommands();
  const found = matching(commands, text).slice(0, most);
  useEffect(() => dialog.current?.showModal(), []);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    dialog.current?.close();
    command.run();
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    setAt((at + step + found.length) % found.length);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run(found[at]);
  };
  return (
    <dialog ref={dialog} className="dialog palette box" aria-label="Commands" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <input
          type="text"
          role="combobox"
          aria-label="Find a page, a saved query or a setting"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length === 0 ? undefined : `${id}-${at}`}
          aria-autocomplete="list"
          placeholder="Go to a page, a saved query or a setting"
          value={text}
          spellCheck={false}
          autoComplete="off"
          onKeyDown={press}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
        />
        <div id={`${id}-list`} role="listbox" aria-label="Commands" className="palette-list">
          {found.map((command, index) => (
            <div
              key={`${command.kind} ${command.name}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              tabIndex={-1}
              className="palette-command row"
              // Not a click, which the field would lose the focus to.
              onPointerDown={(event) => {
                event.preventDefault();
                run(command);
              }}
            >
              <span className="wrap">{command.name}</span>
              <span className="small">{command.kind}</span>
            </div>
          ))}
        </div>
        {found.length === 0 ? <p className="muted small">Nothing has this name.</p> : null}
      </form>
    </dialog>
  );
}

/** All commands: the pages and the saved queries that the token may use, and the settings. */
function useCommands(): Command[] {
  const { address, preferences, session, store } = useServices();
  const viewer = useViewer();
  const { theme, zone } = useLiking();
  const project = projectOf(address.get().search, viewer, remembered(store, 'project'));
  const go = (path: string, ...entries: [string, string][]): void => {
    const to = addressOf(path, [['project', project], ...entries]);
    if (pageAt(path) === null) window.location.assign(to);
    else address.go(to);
  };
  const themes: Theme[] = ['system', 'light', 'dark'];
  return [
    ...visiblePages(viewer).map((page) => ({ name: pageNames[page], kind: 'Page', run: () => go(paths[page]) })),
    { name: 'GraphiQL', kind: 'Page', run: () => window.location.assign(graphiqlPath) },
    ...(viewer.endpoints ?? []).map((name) => ({
      name,
      kind: 'Saved query',
      run: () => go(paths.endpoints, ['name', name]),
    })),
    ...themes
      .filter((other) => other !== theme)
      .map((other) => ({ name: `Theme: ${other}`, kind: 'Setting', run: () => preferences.change({ theme: other }) })),
    {
      name: zone === 'utc' ? 'Times in local time' : 'Times in UTC',
      kind: 'Setting',
      run: () => preferences.change({ zone: zone === 'utc' ? 'local' : 'utc' }),
    },
    ...(session.get().token === null ? [] : [{ name: 'Sign out', kind: 'Setting', run: () => session.forget() }]),
  ];
}

/** The project that the pages open on. */
function projectOf(search: string, viewer: Viewer, used: readonly string[]): string {
  return new URLSearchParams(search).get('project') ?? usualProject(viewer, used);
}
