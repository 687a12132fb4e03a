import type { Failure } from '../api/failure';
import type { Mistake } from './run';

/** Reports whether a failure is a mistake of the caller, which ends when the SQL or its values change. */
export function isMistake({ details }: Failure): boolean {
  return details.code === 'INVALID_ARGUMENT';
}

interface ProblemProps {
  mistake: Mistake;
  /** The failure of a run that the mistake is from; null for one that was found while typing. */
  failure: Failure | null;
}

/** A mistake in the SQL, below the editor. */
export function Problem({ mistake: { message, argument = '' }, failure }: ProblemProps) {
  const prefix = `${argument}: `;
  const requestId = failure?.details.requestId;
  return (
    // What is still being typed interrupts nobody.
    <p className="field-problem wrap medium" role={failure === null ? 'status' : 'alert'}>
      {argument !== '' && message.startsWith(prefix) ? message.slice(prefix.length) : message}
      {argument === '' && failure !== null ? (
        <span className="muted">
          {' '}
          ({failure.details.code}
          {requestId === undefined ? null : `, request ${requestId}`})
        </span>
      ) : null}
    </p>
  );
}
