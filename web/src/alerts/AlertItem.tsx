import { lazy, Suspense, useState } from 'react';
import { Link } from '../app/Link';
import { useLiking } from '../app/preferences';
import { writeEndpoints } from '../endpoints/address';
import { formatDuration, formatInstant, type Zone } from '../time/format';
import { second } from '../time/units';
import { CheckIcon, ChevronIcon, DotIcon, RefreshIcon, WarningIcon } from '../ui/icons';
import { formatCountOf } from '../ui/numbers';
import { writeAlerts } from './address';
import { type Alert, argumentsOf, type Delivery, isUrgent, type State, stateNames } from './alerts';
import { Sparkline } from './Sparkline';

const AlertNotes = lazy(() => import('./AlertNotes'));
const DeleteDialog = lazy(() => import('./DeleteDialog'));
const FiredRows = lazy(() => import('./FiredRows'));
const PointsChart = lazy(() => import('./PointsChart'));

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
  /** Whether the address names it. */
  named: boolean;
  manages: boolean;
  saves: boolean;
  /** Requests the alerts again. */
  onChanged: () => Promise<void>;
  /** Waits until the server has read its files again. */
  onDeleted: () => Promise<void>;
}

/** An alert in one line. Its details are open as long as it needs a person. */
export function AlertItem({ named, ...details }: AlertItemProps) {
  const { zone } = useLiking();
  const { alert } = details;
  const [toggled, setToggled] = useState<boolean | null>(null);
  const open = toggled ?? (isUrgent(alert) || named);
  return (
    <details
      className="alert"
      open={open}
      // What the page opens or closes itself is not a choice of the person.
      onToggle={({ currentTarget }) => currentTarget.open !== open && setToggled(currentTarget.open)}
    >
      <summary className="row">
        <ChevronIcon />
        <StateBadge state={alert.state} />
        <h2 className="wrap">{alert.title}</h2>
        <span className="muted medium wrap">{alert.query}</span>
        {alert.silence === null ? null : <span className="badge">Silenced</span>}
        {alert.acknowledged === null ? null : <span className="badge">Acknowledged</span>}
        <Sparkline points={alert.points} threshold={alert.threshold} />
        <span className="alert-since muted medium">
          {alert.since === null ? '' : `since ${formatInstant(new Date(alert.since), 0, zone)}`}
        </span>
      </summary>
      <Details
        {...details}
        open={open}
        zone={zone}
        onChanged={() => {
          setToggled(true); // What was silenced is no longer urgent, but somebody is reading it.
          return details.onChanged();
        }}
      />
    </details>
  );
}

type DetailsProps = Omit<AlertItemProps, 'named'> & { open: boolean; zone: Zone };

/** What belongs to an alert besides its line. What is large is drawn once it is open. */
function Details({ alert, project, manages, saves, open, zone, onChanged, onDeleted }: DetailsProps) {
  const { query, condition, error } = alert;
  const parameters = Object.entries(argumentsOf(alert))
    .map(([name, values]) => `${name}=${values.join(',')}`)
    .join(' ');
  const isNoted = manages || alert.silence !== null || alert.acknowledged !== null;
  return (
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
      {open ? <Values alert={alert} /> : null}
      {open && isNoted ? (
        <Suspense>
          <AlertNotes alert={alert} manages={manages} zone={zone} onChanged={onChanged} />
        </Suspense>
      ) : null}
      <LastRows alert={alert} />
      <History alert={alert} zone={zone} />
      <div className="row">
        <Link className="button" href={writeEndpoints({ project, name: query, args: argumentsOf(alert), look: {} })}>
          Open the query
        </Link>
        {saves ? <EditButtons alert={alert} onDeleted={onDeleted} /> : null}
      </div>
    </div>
  );
}

/** What the last checks measured, large. */
function Values({ alert: { title, points, measured, threshold } }: { alert: Alert }) {
  if (points.length < 2) return null;
  return (
    <section className="stack">
      <h3>
        {measured === 'rows' ? 'Number of rows' : measured} at the last{' '}
        {formatCountOf(points.length, 'check', 'checks')}
      </h3>
      <div className="alert-chart">
        <Suspense>
          <PointsChart {...{ title, points, measured, threshold }} />
        </Suspense>
      </div>
    </section>
  );
}

/** The rows of the last check. */
function LastRows({ alert: { title, columns, rows, checked, truncated } }: { alert: Alert }) {
  if (rows === null || rows.length === 0) return null;
  return (
    <section className="stack">
      <h3>{formatCountOf(rows.length, 'row', 'rows')} of the last check</h3>
      {/* As high as its rows. */}
      <div style={{ minHeight: Math.min(540, 36 + 30 * rows.length) }}>
        <Suspense>
          <FiredRows caption={`Rows of ${title}`} columns={columns ?? []} rows={rows} checked={checked} />
        </Suspense>
      </div>
      {truncated ? <p className="muted small">There were more rows.</p> : null}
    </section>
  );
}

/** Changes and deletes an alert in its file. */
function EditButtons({ alert, onDeleted }: Pick<AlertItemProps, 'alert' | 'onDeleted'>) {
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <Link className="button" href={writeAlerts({ form: 'edit', query: alert.query, name: alert.name })}>
        Edit
      </Link>
      <button type="button" className="button" onClick={() => setDeleting(true)}>
        Delete
      </button>
      {deleting ? (
        <Suspense>
          <DeleteDialog alert={alert} onDeleted={onDeleted} onClose={() => setDeleting(false)} />
        </Suspense>
      ) : null}
    </>
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
