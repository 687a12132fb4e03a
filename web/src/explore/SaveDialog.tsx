import '../ui/dialog.css';
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import { type Failure, problemOf, toFailure } from '../api/failure';
import { useServices } from '../app/context';
import { writeEndpoints } from '../endpoints/address';
import { EndpointsDocument } from '../endpoints/gql/graphql';
import { Field } from '../ui/Field';
import { saveFile } from '../ui/saveFile';
import { type Query, save } from './run';

interface SaveDialogProps {
  query: Query;
  project: string;
  /** Whether the server writes the folder. */
  writes: boolean;
  onClose: () => void;
}

/** How often the dialog looks whether the server has read the new folder, and how many times. */
const pause = 500;
const most = 30;

/** Makes a saved query of SQL, and opens it on the Endpoints page, or downloads its folder. */
export function SaveDialog({ query, project, writes, onClose }: SaveDialogProps) {
  const { client, address } = useServices();
  const dialog = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    // Closing it returns the focus.
    return () => opened?.close();
  }, []);
  const isServed = async (): Promise<boolean> =>
    (await client.query(EndpointsDocument, {})).data.endpoints.some((endpoint) => endpoint.name === name);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    try {
      const archive = await save(client, query, name, description);
      if (archive === null) {
        for (let tries = 0; tries < most && !(await isServed()); tries++) {
          await new Promise((resolve) => setTimeout(resolve, pause));
        }
        address.go(writeEndpoints({ project, name, args: {}, look: {} }));
        return;
      }
      saveFile(archive, `${name}.zip`);
      onClose();
    } catch (thrown) {
      setFailure(toFailure(thrown));
    }
    setBusy(false);
  };
  const problem = problemOf(failure, 'name');
  return (
    <dialog ref={dialog} className="dialog box" aria-labelledby="save-title" onClose={onClose}>
      <form className="dialog-form stack" onSubmit={(event) => void submit(event)}>
        <header className="stack">
          <h2 id="save-title">Save as query</h2>
          <p className="muted medium">
            {writes
              ? 'The server writes a folder with the SQL and query.yaml, and serves it at once.'
              : 'You get an archive with the SQL and query.yaml, in a folder for your saved queries.'}
          </p>
        </header>
        <Field label="Name" problem={problem}>
          {(control) => (
            <input
              {...control}
              value={name}
              placeholder="functions.slowest"
              required
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field label="Description (optional)" problem={null}>
          {(control) => (
            <input {...control} value={description} onChange={(event) => setDescription(event.target.value)} />
          )}
        </Field>
        {failure !== null && problem === null ? (
          <p className="field-problem wrap" role="alert">
            {failure.details.message}
          </p>
        ) : null}
        <div className="row">
          <button type="submit" className="button button-main" disabled={name.trim() === ''} aria-disabled={busy}>
            {busy ? 'Saving …' : writes ? 'Save' : 'Download'}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
