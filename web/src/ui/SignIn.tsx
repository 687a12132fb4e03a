import './dialog.css';
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import { isToken, type Session } from '../api/session';

/** The dialog that asks for a token, also after the server has refused one. */
export function SignIn({ session, refused }: { session: Session; refused: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [draft, setDraft] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(refused ? 'The server did not accept this token.' : null);
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    // Closing it returns the focus.
    return () => opened?.close();
  }, []);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    const token = draft.trim();
    if (!isToken(token)) {
      setProblem(token === '' ? 'Paste a token.' : 'A token has letters, digits and punctuation, and no spaces.');
      return;
    }
    setBusy(true);
    try {
      if (await session.accepts(token)) session.use(token);
      else setProblem('The server did not accept this token.');
    } catch {
      setProblem('The server cannot be reached.');
    }
    setBusy(false);
  };
  return (
    // Without a token, the page behind it is empty, so Escape does not close it.
    <dialog
      ref={dialog}
      className="dialog box"
      aria-labelledby="token-title"
      onClose={(event) => event.currentTarget.showModal()}
    >
      <form className="dialog-form stack" onSubmit={(event) => void submit(event)}>
        <header className="stack">
          <h2 id="token-title">Sign in to savedq</h2>
          <p className="muted medium">
            Paste an access token. The server prints one when it starts, or your operator has one for you.
          </p>
        </header>
        <div className="stack">
          <label className="label" htmlFor="token">
            Token
          </label>
          <input
            id="token"
            type="password"
            autoComplete="off"
            placeholder="savedq_…"
            value={draft}
            aria-invalid={problem !== null}
            aria-describedby="token-problem"
            onChange={(event) => setDraft(event.target.value)}
          />
          <p id="token-problem" className="field-problem" aria-live="polite">
            {problem}
          </p>
        </div>
        <button type="submit" className="button button-main" aria-disabled={busy}>
          {busy ? 'Checking …' : 'Sign in'}
        </button>
        <p className="muted small">
          The token stays in this browser until you sign out, and is sent to this server only.
        </p>
      </form>
    </dialog>
  );
}
