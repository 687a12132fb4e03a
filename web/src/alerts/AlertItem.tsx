import { lazy, Suspense } from 'react';
import { Link } from '../app/Link';
import { useLiking } from '../app/preferences';
import { writeEndpoints } from '../endpoints/address';
import { formatDuration, formatInstant, type Zone } from '../time/format';
import { second } from '../time/units';
import { CheckIcon, ChevronIcon, DotIcon, RefreshIcon, WarningIcon } from '../ui/icons';
import { formatCountOf } from '../ui/numbers';
import { type Alert, argumentsOf, type Delivery, type State, stateNames } from './alerts';

const FiredRows = lazy(() => import('./FiredRows'));

const looks: { [state in State]: { tone: string; icon: () => React.ReactElement } } = {
  firing: { tone: 'danger', icon: WarningIcon },
  failing: { tone: 'danger', icon: WarningIcon },
  no_data: { tone: 'warning', icon: WarningIcon },
  pending: { tone: 'warning', icon: RefreshIcon },
  unknown: { tone: '', icon: DotIcon },
  ok: { tone: 'good', icon: CheckIcon },
};

interface AlertItemProps {
  alert: Alert;
  /** The project that the pages open on. */
  project: string;
}

/** An alert in one line. Its details are open as long as it needs a person. */
export function AlertItem({ alert, project }: AlertItemProps) {
  const { zone } = useLiking();
  const { query, title, state, since, condition, error, columns, rows } = alert;
  const parameters = Object.entries(argumentsOf(alert))
    .map(([name, values]) => `${name}=${values.join(',')}`)
    .join(' ');
  const urgent = state === 'firing' || state === 'failing';
  return (
    <details className="alert" open={urgent}>
      <summary className="row">
        <ChevronIcon />
        <StateBadge state={state} />
        <h2 className="wrap">{title}</h2>
        <span className="muted medium wrap">{query}</span>
        <span className="alert-since muted medium">
          {since === null ? '' : `since ${formatInstant(new Date(since), 0, zone)}`}
        </span>
      </summary>
      <div className="sections alert-details">
        {error === null ? null : (
          <p className="danger notice medium wrap" role="status">
            {error}
          </p>
        )}
        <dl className="facts medium">
          <dt>Condition</dt>
          <dd>
            <code>{condition}</code>
          </dd>
          {parameters === '' ? null : (
            <>
              <dt>Parameters</dt>
              <dd className="wrap">
                <code>{parameters}</code>
              </dd>
            </>
          )}
          <dt>Checks</dt>
          <dd>{checksOf(alert, zone)}</dd>
          {alert.notify.map((delivery) => (
            <DeliveryFacts key={delivery.target} delivery={delivery} zone={zone} />
          ))}
        </dl>
        {rows === null || rows.length === 0 ? null : (
          <section className="stack">
            <h3>{formatCountOf(rows.length, 'row', 'rows')} of the last check</h3>
            {/* As high as its rows. */}
            <div style={{ minHeight: Math.min(540, 36 + 30 * rows.length) }}>
              <Suspense>
                <FiredRows caption={`Rows of ${title}`} columns={columns ?? []} rows={rows} checked={alert.checked} />
              </Suspense>
            </div>
            {alert.truncated ? <p className="muted small">There were more rows.</p> : null}
          </section>
        )}
        <History alert={alert} zone={zone} />
        <div className="row">
          <Link className="button" href={writeEndpoints({ project, name: query, args: argumentsOf(alert), look: {} })}>
            Open the query
          </Link>
        </div>
      </div>
    </details>
  );
}

function StateBadge({ state }: { state: State }) {
  const { tone, icon: Icon } = looks[state];
  return (
    <span className={`badge alert-state ${tone}`}>
      <Icon />
      {stateNames[state]}
    </span>
  );
}

/** When the alert was checked and is checked next, and what a change takes. */
function checksOf(alert: Alert, zone: Zone): string {
  const { every, checked, next, count, state } = alert;
  const needed = alert.for;
  const rule = needed === 1 ? '' : `, ${needed} in a row change the state`;
  const progress = state === 'pending' && needed > 1 ? `; ${count} of ${needed} so far` : '';
  const times = [
    checked === null ? '' : `last ${formatInstant(new Date(checked), 0, zone)}`,
    next === null ? '' : `next ${formatInstant(new Date(next), 0, zone)}`,
  ].filter((text) => text !== '');
  const shown = times.length === 0 ? '' : ` (${times.join(', ')})`;
  return `every ${formatDuration(every * second)}${rule}${progress}${shown}`;
}

function DeliveryFacts({ delivery, zone }: { delivery: Delivery; zone: Zone }) {
  const { target, pending, delivered, error } = delivery;
  const last = delivered === null ? 'nothing yet' : formatInstant(new Date(delivered), 0, zone);
  return (
    <>
      <dt>Notifies {target}</dt>
      <dd>
        last delivered: {last}
        {pending === 0 ? null : (
          <span className="badge warning">{formatCountOf(pending, 'message waits', 'messages wait')}</span>
        )}
        {error === null ? null : <span className="field-problem"> {error}</span>}
      </dd>
    </>
  );
}

/** The latest changes of state. */
function History({ alert: { title, history }, zone }: { alert: Alert; zone: Zone }) {
  if (history.length === 0) return null;
  return (
    <section className="stack">
      <h3>History</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll. */}
      <ol className="alert-history" aria-label={`History of ${title}`} tabIndex={0}>
        {history.map(({ at, state }) => (
          <li key={`${at} ${state}`} className="row medium">
            <time className="muted" dateTime={at}>
              {formatInstant(new Date(at), 0, zone)}
            </time>
            <StateBadge state={state} />
          </li>
        ))}
      </ol>
    </section>
  );
}
