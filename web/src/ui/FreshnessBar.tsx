import { isUnreachable } from '../api/failure';
import type { Freshness, Pace } from '../api/freshness';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { type Loading, useNow } from '../app/useResponse';
import { formatAge, formatDuration, formatSecond, zoneName } from '../time/format';
import { DotIcon, RefreshIcon } from './icons';
import { formatWork } from './numbers';

/** Data with its freshness. */
export interface Dated {
  freshness: Freshness;
  receivedAt: number;
}

/** The state of a request, without a way to change its data. */
export type LoadingDated = Omit<Loading<Dated>, 'update'>;

interface FreshnessBarProps {
  loading: LoadingDated;
  /** How often it refreshes; null until known. */
  pace: Pace | null;
}

/** Shows the age and the source of the data, and a refresh button. */
export function FreshnessBar({ loading, pace }: FreshnessBarProps) {
  const { live } = useLiking();
  const { data, next, failure } = loading;
  const stopped = data !== null && isUnreachable(failure);
  const ended = data !== null && next === null;
  return (
    <div className="freshness row">
      {data === null ? (
        <p className="age row muted medium" />
      ) : (
        <Age dated={data} until={live && next !== null ? next.seconds : null} stopped={stopped} />
      )}
      {ended ? null : <AutoRefreshButton pace={pace} stopped={stopped} />}
      <button
        type="button"
        className="button"
        title="Refresh now, bypassing the cache"
        onClick={() => loading.refresh(true)}
        aria-busy={loading.busy}
      >
        <RefreshIcon />
        <span className="refresh-label">Refresh</span>
      </button>
    </div>
  );
}

/** Turns auto-refresh on and off. */
function AutoRefreshButton({ pace, stopped }: { pace: Pace | null; stopped: boolean }) {
  const { preferences } = useServices();
  const { live } = useLiking();
  const interval = pace === null ? '' : formatDuration(pace.seconds * 1000);
  const often = pace === null ? 'Refreshes while visible' : `Refreshes every ${interval} while visible`;
  return (
    <button
      type="button"
      className="button"
      aria-pressed={live}
      data-stopped={stopped}
      title={live ? often : `${often}: off`}
      onClick={() => preferences.change({ live: !live })}
    >
      <DotIcon />
      {pace === null ? 'Auto-refresh' : `Auto-refresh · ${interval}`}
    </button>
  );
}

const sources: { [status in Freshness['cache']]: string } = {
  HIT: 'cached',
  MISS: 'computed for this request',
  JOINED: 'from an in-flight call of another request',
  REFRESHED: 'refreshed for this request',
  STALE: 'stale: the last refresh failed',
  OFF: 'not cached',
};

function Age({ dated, until, stopped }: { dated: Dated; until: number | null; stopped: boolean }) {
  const { zone } = useLiking();
  const now = useNow(1000);
  const { freshness, receivedAt } = dated;
  const asOf = new Date(freshness.asOf);
  // The server's clock measured the age; this clock adds the time since the response.
  const sinceReceived = Math.max(0, now - receivedAt);
  const age = freshness.ageSeconds * 1000 + sinceReceived;
  const left = until === null ? null : until * 1000 - sinceReceived;
  const details = [
    sources[freshness.cache] ?? freshness.cache,
    formatWork(freshness),
    left === null ? '' : left > 1000 ? `next refresh in ${formatDuration(left)}` : 'refreshing',
  ];
  return (
    <p className="age row muted medium" title={details.filter((detail) => detail !== '').join(', ')}>
      <span>
        as of{' '}
        <time dateTime={freshness.asOf}>
          {formatSecond(asOf, zone)} {zoneName(zone, asOf)}
        </time>
        , {stopped ? <strong className="danger-text">the server cannot be reached</strong> : formatAge(age)}
      </span>
      {freshness.bytesProcessed + freshness.bytesReused === 0 ? null : (
        <span className="small">{formatWork(freshness)}</span>
      )}
    </p>
  );
}
