import '../ui/dialog.css';
import { useLayoutEffect, useRef, useState } from 'react';
import { toFailure } from '../api/failure';
import { useServices } from '../app/context';
import { type Alert, remove } from './alerts';

interface DeleteDialogProps {
  alert: Alert;
  /** Requests the alerts until the server has read its files again. */
  onDeleted: () => Promise<void>;
  onClose: () => void;
}

/** Asks before an alert is deleted. It is the default export, because it is loaded when it is first shown. */
export default function DeleteDialog({ alert, onDeleted, onClose }: DeleteDialogProps) {
  const { client } = useServices();
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    // Closing it returns the focus.
    return () => opened?.close();
  }, []);
  const confirm = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    try {
      await remove(client, alert);
      await onDeleted();
      onClose();
    } catch (thrown) {
      setProblem(toFailure(thrown).details.message);
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} className="dialog box" aria-labelledby="delete-title" onClose={onClose}>
      <div className="dialog-form stack">
        <h2 id="delete-title" className="wrap">
          Delete “{alert.title}”?
        </h2>
        <p className="muted medium">
          The server removes <code>{alert.name}</code> from the query.yaml of <code>{alert.query}</code>. Who was
          notified that it began gets a message that it was removed.
        </p>
        {problem === null ? null : (
          <p className="field-problem wrap" role="alert">
            {problem}
          </p>
        )}
        <div className="row">
          <button type="button" className="button button-main" aria-disabled={busy} onClick={() => void confirm()}>
            {busy ? 'Deleting …' : 'Delete'}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </div>
    </dialog>
  );
}
