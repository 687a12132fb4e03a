import type { ReactNode } from 'react';
import type { Failure } from '../api/failure';
import { CopyButton } from './CopyButton';
import { WarningIcon } from './icons';

const heights = { charts: 537, chart: 410, 'chart-low': 96, rows: 480, snippet: 190 };

/** A placeholder for what is loading, as high as it will be: lines, or the columns of a chart. */
export function Skeleton({ label, height }: { label: string; height: keyof typeof heights }) {
  return (
    <div className="skeleton" data-shape={height} style={{ height: heights[height] }} role="status">
      <span className="visually-hidden">{label}</span>
    </div>
  );
}

/** An empty state: what is missing, and what to do. */
export function Empty({ title, level = 2, children }: { title: string; level?: 1 | 2; children: ReactNode }) {
  return (
    <section className="empty">
      {level === 1 ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </section>
  );
}

interface FailurePanelProps {
  failure: Failure;
  /** Whether the message is shown at its field. */
  atField?: boolean;
  /** Whether another attempt is in progress. */
  busy: boolean;
  onRetry: () => void;
}

/** Shows an error with its request id, and a button to retry. */
export function FailurePanel({ failure, atField = false, busy, onRetry }: FailurePanelProps) {
  const { message, requestId, cause } = failure.details;
  if (atField) return <FieldFailure failure={failure}>Correct the marked field.</FieldFailure>;
  return (
    <section className="failure danger notice stack" role="alert">
      <h2 className="row">
        <WarningIcon /> Query failed
      </h2>
      <p className="wrap">
        {message} <FailureId failure={failure} />
      </p>
      <EngineMessage text={cause} />
      <div className="buttons row">
        {/* A disabled button would lose the focus. */}
        <button type="button" className="button button-main" onClick={busy ? undefined : onRetry} aria-disabled={busy}>
          {busy ? 'Retrying …' : 'Try again'}
        </button>
        {requestId === undefined ? null : <CopyButton label="Copy request id" text={() => requestId} />}
      </div>
    </section>
  );
}

/** What a failure has besides its message, which its field shows. */
export function FieldFailure({ failure, children }: { failure: Failure; children: ReactNode }) {
  return (
    <>
      <p className="field-failure caption muted small wrap">
        {children} <FailureId failure={failure} />
      </p>
      <EngineMessage text={failure.details.cause} />
    </>
  );
}

/** What an operator can look a failure up with. */
export function FailureId({ failure }: { failure: Failure }) {
  const { code, requestId } = failure.details;
  return (
    <>
      (<code>{code}</code>
      {requestId === undefined ? null : (
        <>
          , request <code>{requestId}</code>
        </>
      )}
      )
    </>
  );
}

/** What the engine said, which only a server for development sends. */
export function EngineMessage({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll.
    <section className="engine-message frame" aria-label="Message of the engine" tabIndex={0}>
      <pre>{text}</pre>
    </section>
  );
}

/** A warning above data that is still useful. */
export function Warning({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="warning notice facts medium" role="status">
      <WarningIcon />
      <p>
        <strong>{title}</strong> {children}
      </p>
    </div>
  );
}
