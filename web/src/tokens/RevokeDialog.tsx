import { useState } from 'react';
import { type Failure, toFailure } from '../api/failure';
import { useServices } from '../app/context';
import { Dialog } from '../ui/Dialog';
import { revokeToken, type Token } from './tokens';

interface RevokeDialogProps {
  token: Token;
  onRevoked: () => void;
  onClose: () => void;
}

/** Asks before it revokes a token. */
export function RevokeDialog({ token: { name, current }, onRevoked, onClose }: RevokeDialogProps) {
  const { client } = useServices();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const revoke = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    try {
      await revokeToken(client, name);
      onClose();
      onRevoked();
    } catch (thrown) {
      setFailure(toFailure(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Revoke ${name}?`} onClose={onClose} onSubmit={() => void revoke()}>
      <p className="medium">
        The server rejects requests with this token at once, and ends its streams. This cannot be undone.
      </p>
      {current ? <p className="warning notice medium">You are signed in with this token.</p> : null}
      {failure === null ? null : (
        <p className="field-problem wrap" role="alert">
          {failure.details.message}
        </p>
      )}
      <div className="row">
        <button type="submit" className="button danger-button" aria-disabled={busy}>
          {busy ? 'Revoking …' : 'Revoke'}
        </button>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
