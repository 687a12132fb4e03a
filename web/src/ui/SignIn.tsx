import './dialog.css';
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import { isToken, type Session } from '../api/session';

/** The dialog that asks for a token, also after the server has refused one. */
export function SignIn({ session }: { session: Session }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [draft, setDraft] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(() => whyRefused(session));
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
      const reason = await session.rejection(token);
      if (reason === null) session.use(token);
      else setProblem(`The server did not accept this token: ${reason}.`);
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

/** Which token the server no longer accepts, and why; null if none was sent. */
function whyRefused(session: Session): string | null {
  const { token, reason } = session.get();
  if (token === null) return null;
  const verdict = session.name === null ? 'did not accept this token' : `no longer accepts the token “${session.name}”`;
  return `The server ${verdict}${reason === null ? '' : `: ${reason}`}.`;
}
