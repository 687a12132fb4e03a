import './history.css';
import { Link } from '../app/Link';
import { useLiking } from '../app/preferences';
import { formatDate, formatSecond } from '../time/format';
import { formatCountOf } from '../ui/numbers';
import { writeEndpoints } from './address';
import { type Run, summaryOf } from './history';

interface RunHistoryProps {
  runs: readonly Run[];
  project: string;
  onForget: () => void;
}

/** The last runs in this browser, of all saved queries. Each fills in the form again. */
export function RunHistory({ runs, project, onForget }: RunHistoryProps) {
  const { zone } = useLiking();
  if (runs.length === 0) return null;
  return (
    <details className="run-history medium">
      <summary>
        History <span className="muted">· {formatCountOf(runs.length, 'run', 'runs')} in this browser</span>
      </summary>
      <ul className="nav">
        {runs.map((run) => (
          <li key={JSON.stringify([run.name, run.args])}>
            <Link href={writeEndpoints({ project, name: run.name, args: run.args, look: {} })}>
              <strong>{run.name}</strong>
              <span className="mono small truncate">{summaryOf(run)}</span>
              <time className="small" dateTime={run.at}>
                {formatDate(new Date(run.at), zone)} {formatSecond(new Date(run.at), zone)}
              </time>
            </Link>
          </li>
        ))}
      </ul>
      <button type="button" className="button" onClick={onForget}>
        Clear history
      </button>
    </details>
  );
}
