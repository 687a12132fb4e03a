import type { Freshness, Pace } from '../api/freshness';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { type Loading, useNow } from '../app/useResponse';
import { formatAge, formatDuration, formatSecond, zoneName } from '../time/format';
import { RefreshIcon } from './icons';
import { formatBytes } from './numbers';

/** An data of which it is known how fresh it is. */
export interface Dated {
  freshness: Freshness;
  receivedAt: number;
}

/** What is asked, without a way to change the data. */
export type LoadingDated = Omit<Loading<Dated>, 'update'>;

interface FreshnessBarProps {
  loading: LoadingDated;
  /** How often it refreshes; null for never, or while that is not known. */
  pace: Pace | null;
}

/** Says how old the data is and how it was come by, and lets it be refreshed. */
export function FreshnessBar({ loading, pace }: FreshnessBarProps) {
  const { live } = useLiking();
  const { data, next } = loading;
  const ended = data !== null && next === null;
  return (
    <div className="freshness row">
      {data === null ? (
        <p className="age row muted medium" />
      ) : (
        <Age dated={data} until={live && next !== null ? next.seconds : null} />
      )}
      {ended ? null : <LiveButton pace={pace} />}
      <button
        type="button"
        className="button"
        title="Refresh now, bypassing the cache"
        onClick={() => loading.refresh(true)}
        aria-busy={loading.busy}
      >
        <span className={loading.busy ? 'turning' : ''}>
          <RefreshIcon />
        </span>
        Refresh
      </button>
    </div>
  );
}

/** Turns refreshing on and off, and says how often it happens. */
function LiveButton({ pace }: { pace: Pace | null }) {
  const { preferences } = useServices();
  const { live } = useLiking();
  const seconds = pace?.seconds ?? 0;
  const interval = formatDuration(seconds * 1000);
  const often = pace === null ? 'Auto-refresh' : `Auto-refresh every ${interval} while visible`;
  return (
    <button
      type="button"
      className="button"
      aria-pressed={live}
      title={live ? often : `${often}: off`}
      onClick={() => preferences.change({ live: !live })}
    >
      <span className="live-dot" aria-hidden="true" />{' '}
      {pace === null ? 'Auto-refresh' : seconds <= liveSecondsAtMost ? 'Live' : `Every ${interval}`}
    </button>
  );
}

/** What refreshes no less often than this is called live. */
const liveSecondsAtMost = 10;

const sources: { [status in Freshness['cache']]: string } = {
  HIT: 'cached',
  MISS: 'computed for this request',
  JOINED: 'computed for another request at the same time',
  REFRESHED: 'refreshed for this request',
  STALE: 'cached, because the last refresh failed',
  OFF: 'not cached',
};

function Age({ dated, until }: { dated: Dated; until: number | null }) {
  const { zone } = useLiking();
  const now = useNow(1000);
  const { freshness, receivedAt } = dated;
  const asOf = new Date(freshness.asOf);
  // The server's clock measured the age; only what came after is measured here.
  const sinceReceived = Math.max(0, now - receivedAt);
  const age = freshness.ageSeconds * 1000 + sinceReceived;
  const left = until === null ? null : until * 1000 - sinceReceived;
  const details = [
    sources[freshness.cache] ?? freshness.cache,
    freshness.bytesProcessed > 0 ? `${formatBytes(freshness.bytesProcessed)} processed` : '',
    left === null ? '' : left > 1000 ? `next refresh in ${formatDuration(left)}` : 'refreshing',
  ];
  return (
    <p className="age row muted medium" title={details.filter((detail) => detail !== '').join(', ')}>
      <span>
        as of{' '}
        <time dateTime={freshness.asOf}>
          {formatSecond(asOf, zone)} {zoneName(zone, asOf)}
        </time>
        , {formatAge(age)}
      </span>
      {freshness.cache === 'STALE' ? <strong className="badge badge-warning">STALE</strong> : null}
      {freshness.truncated ? <strong className="badge badge-warning">TRUNCATED</strong> : null}
    </p>
  );
}
