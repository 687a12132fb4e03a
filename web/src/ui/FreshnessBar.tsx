import type { Freshness } from '../api/freshness';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { type Asked, useNow } from '../app/useAnswer';
import { formatAge, formatDuration, formatSecond, zoneName } from '../time/format';
import { RefreshIcon } from './icons';
import { formatBytes } from './numbers';

/** An answer of which it is known how fresh it is. */
export interface Dated {
  freshness: Freshness;
  receivedAt: number;
}

/** What is asked, without a way to change the answer. */
export type AskedDated = Omit<Asked<Dated>, 'update'>;

interface FreshnessBarProps {
  asked: AskedDated;
  /** In how many seconds the answer may change; null for never. */
  secondsUntilChange: number | null;
}

/** Says how old the data is and how it was come by, and lets it be refreshed. */
export function FreshnessBar({ asked, secondsUntilChange }: FreshnessBarProps) {
  const { preferences } = useServices();
  const { live } = useLiking();
  return (
    <div className="freshness">
      {asked.answer === null ? (
        <p className="age" />
      ) : (
        <Age dated={asked.answer} until={live ? secondsUntilChange : null} />
      )}
      <button
        type="button"
        className="button"
        aria-pressed={live}
        title={live ? 'Refreshes when the data may have changed' : 'Does not refresh by itself'}
        onClick={() => preferences.change({ live: !live })}
      >
        <span className={live ? 'live-dot live-dot-on' : 'live-dot'} aria-hidden="true" /> Live
      </button>
      <button
        type="button"
        className="button"
        title="Have the rows computed anew"
        onClick={() => asked.again(true)}
        aria-busy={asked.busy}
      >
        <span className={asked.busy ? 'turning' : ''}>
          <RefreshIcon />
        </span>
        Refresh
      </button>
    </div>
  );
}

const sources: { [status in Freshness['cache']]: string } = {
  HIT: 'kept rows',
  MISS: 'computed for this request',
  JOINED: 'computed for another request at the same time',
  REFRESHED: 'computed anew as asked',
  STALE: 'kept rows that could not be computed anew',
  OFF: 'never kept',
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
    left === null ? '' : left > 1000 ? `asks again in ${formatDuration(left)}` : 'asks again now',
  ];
  return (
    <p className="age" title={details.filter((detail) => detail !== '').join(', ')}>
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
