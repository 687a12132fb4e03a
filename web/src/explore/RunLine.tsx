import type { ReactNode } from 'react';
import { formatBytes } from '../ui/numbers';
import { Segmented } from '../ui/Segmented';
import { Clock } from './Clock';
import { type Dialect, dialects } from './dialect';
import type { RunState } from './useRuns';

interface RunLineProps {
  run: RunState;
  dialect: Dialect;
  /** The names of dialects that the token may send. */
  dialects: readonly string[];
  /** How much a run reads at most; null if it is not known. */
  bytes: number | null;
  onCancel: () => void;
  onSave: () => void;
  onDialect: (name: string) => void;
  children: ReactNode;
}

/** What can be done with SQL, below its editor. */
export function RunLine({
  run,
  dialect,
  dialects: allowed,
  bytes,
  onCancel,
  onSave,
  onDialect,
  children,
}: RunLineProps) {
  const { running, notice } = run;
  const choices = dialects.filter((one) => one === dialect || allowed.includes(one.name));
  return (
    <div className="run-line row medium">
      {/* A disabled button would lose the focus. */}
      <button type="submit" className="button button-main" aria-disabled={running !== null}>
        {running === null ? 'Run' : 'Running …'}
      </button>
      {running === null ? null : (
        <>
          <Clock key={running.since} since={running.since} />
          <button type="button" className="button" onClick={onCancel}>
            Cancel
          </button>
        </>
      )}
      <button type="button" className="button" onClick={onSave}>
        Save as query
      </button>
      {children}
      {choices.length < 2 ? null : (
        <Segmented
          label="Dialect"
          choices={choices.map(({ name, label }) => ({ value: name, label }))}
          value={dialect.name}
          onChange={onDialect}
        />
      )}
      {bytes === null ? null : (
        <span className="muted small explore-bytes" title="The size of the tables it names. A time range reads less.">
          Reads at most {formatBytes(bytes)}
        </span>
      )}
      <span className="explore-keys muted small">
        <kbd>Ctrl</kbd>+<kbd>Enter</kbd> runs, <kbd>Escape</kbd> then <kbd>Tab</kbd> leaves the editor
      </span>
      <span role="status">{notice}</span>
    </div>
  );
}
