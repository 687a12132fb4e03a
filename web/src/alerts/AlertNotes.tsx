import { useState } from 'react';
import { toFailure } from '../api/failure';
import { useServices } from '../app/context';
import { formatInstant, type Zone } from '../time/format';
import { day, hour } from '../time/units';
import { Field } from '../ui/Field';
import { type Alert, acknowledge, silence } from './alerts';

interface AlertNotesProps {
  alert: Alert;
  manages: boolean;
  zone: Zone;
  /** Requests the alerts again. */
  onChanged: () => Promise<void>;
}

const lengths = [
  { label: '1 hour', ms: hour },
  { label: '4 hours', ms: 4 * hour },
  { label: '1 day', ms: day },
  { label: '7 days', ms: 7 * day },
];

/** What people said about an alert, and buttons to say it. It is the default export, because it is loaded with the details. */
export default function AlertNotes({ alert, manages, zone, onChanged }: AlertNotesProps) {
  const { client } = useServices();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [reason, setReason] = useState('');
  const [length, setLength] = useState(hour);
  const send = async (request: Promise<void>): Promise<void> => {
    if (busy) return;
    setBusy(true);
    try {
      await request;
      await onChanged();
      setProblem(null);
    } catch (thrown) {
      setProblem(toFailure(thrown).details.message);
    }
    setBusy(false);
  };
  const { silence: silenced, acknowledged, state } = alert;
  const announced = state === 'firing' || state === 'failing' || state === 'no_data';
  return (
    <section className="stack alert-notes" aria-label={`Notes on ${alert.title}`}>
      {silenced === null ? null : (
        <p className="row medium">
          <span className="wrap">
            Silenced until <strong>{formatInstant(new Date(silenced.until), 0, zone)}</strong>
            {noteText(silenced)}
          </span>
          {manages ? (
            <button
              type="button"
              className="button"
              aria-disabled={busy}
              onClick={() => void send(silence(client, alert, null, ''))}
            >
              End silence
            </button>
          ) : null}
        </p>
      )}
      {acknowledged === null ? null : (
        <p className="row medium">
          <span className="wrap">
            Acknowledged at {formatInstant(new Date(acknowledged.at), 0, zone)}
            {noteText(acknowledged)}
          </span>
          {manages ? (
            <button
              type="button"
              className="button"
              aria-disabled={busy}
              onClick={() => void send(acknowledge(client, alert, true))}
            >
              Take back
            </button>
          ) : null}
        </p>
      )}
      {manages ? (
        <form
          className="row alert-silence"
          onSubmit={(event) => {
            event.preventDefault();
            void send(silence(client, alert, new Date(Date.now() + length), reason));
          }}
        >
          {announced && acknowledged === null ? (
            <button
              type="button"
              className="button"
              aria-disabled={busy}
              onClick={() => void send(acknowledge(client, alert, false))}
            >
              Acknowledge
            </button>
          ) : null}
          {silenced === null ? (
            <>
              <Field label="Silence for" problem={null}>
                {(control) => (
                  <select {...control} value={length} onChange={(event) => setLength(Number(event.target.value))}>
                    {lengths.map(({ label, ms }) => (
                      <option key={label} value={ms}>
                        {label}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
              <Field label="Reason (optional)" problem={null}>
                {(control) => (
                  <input
                    {...control}
                    value={reason}
                    maxLength={500}
                    autoComplete="off"
                    onChange={(event) => setReason(event.target.value)}
                  />
                )}
              </Field>
              <button type="submit" className="button" aria-disabled={busy}>
                Silence
              </button>
            </>
          ) : null}
        </form>
      ) : null}
      {problem === null ? null : (
        <p className="field-problem wrap" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

function noteText({ reason, by }: { reason: string; by: string }): string {
  return `${by === '' ? '' : ` by ${by}`}${reason === '' ? '' : `: ${reason}`}`;
}
