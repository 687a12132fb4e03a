import type { ReactNode } from 'react';
import type { Failure } from '../api/failure';
import { CopyButton } from './CopyButton';
import { WarningIcon } from './icons';

/** Holds the place of something that is on its way. */
export function Skeleton({ label, height }: { label: string; height: 'charts' | 'chart' | 'rows' }) {
  return (
    <div className={`skeleton skeleton-${height}`} role="status">
      <span className="visually-hidden">{label}</span>
    </div>
  );
}

/** Says that there is nothing to see, and what can be done about it. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="empty">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** What to do where there are no logs at all. */
export function NoLogsHint() {
  return (
    <p>
      Is there nothing at all? Start the server with <code>savedq serve --demo</code> to look around with demo logs of
      the projects <code>default</code>, <code>acme</code> and <code>globex</code>, or load your own with{' '}
      <code>savedq load</code>.
    </p>
  );
}

/** Says why there is nothing to see, under which id the log tells more, and offers to try again. */
export function FailurePanel({ failure, onRetry }: { failure: Failure; onRetry: () => void }) {
  const { code, message, requestId } = failure.details;
  return (
    <section className="failure" role="alert">
      <h2>
        <WarningIcon /> This could not be answered
      </h2>
      <p>{message}</p>
      <dl className="facts">
        <dt>Code</dt>
        <dd>
          <code>{code}</code>
        </dd>
        {requestId === undefined ? null : (
          <>
            <dt>Request id</dt>
            <dd>
              <code>{requestId}</code>
            </dd>
          </>
        )}
      </dl>
      <div className="buttons">
        <button type="button" className="button button-main" onClick={onRetry}>
          Try again
        </button>
        {requestId === undefined ? null : <CopyButton label="Copy request id" text={() => requestId} />}
      </div>
    </section>
  );
}

/** A warning above something that can still be used. */
export function Warning({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="warning" role="status">
      <WarningIcon />
      <p>
        <strong>{title}</strong> {children}
      </p>
    </div>
  );
}
