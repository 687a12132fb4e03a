import { useState } from 'react';
import { toFailure } from '../api/failure';
import { useServices } from '../app/context';
import { type Query, saveEdit } from './run';
import { withNow } from './savedQueries';

interface SaveEditProps {
  /** The saved query that the SQL is from. */
  name: string;
  query: Query;
}

/** Writes the SQL back to the folder of its saved query. */
export function SaveEdit({ name, query }: SaveEditProps) {
  const { client } = useServices();
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<{ sql: string; text: string; failed: boolean } | null>(null);
  const write = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    try {
      await saveEdit(client, { ...query, sql: withNow(query.sql, query.dialect) }, name);
      setSaid({ sql: query.sql, text: `Saved to ${name}.`, failed: false });
    } catch (thrown) {
      setSaid({ sql: query.sql, text: toFailure(thrown).details.message, failed: true });
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" className="button" aria-disabled={busy} onClick={() => void write()}>
        {busy ? 'Saving …' : `Save to ${name}`}
      </button>
      {said === null || said.sql !== query.sql ? null : (
        <span className={said.failed ? 'field-problem wrap' : undefined} role={said.failed ? 'alert' : 'status'}>
          {said.text}
        </span>
      )}
    </>
  );
}
