import './tokens.css';
import { useState } from 'react';
import { useServices } from '../app/context';
import { Link } from '../app/Link';
import type { PageProps } from '../app/pages';
import { useLiking } from '../app/preferences';
import { pageNames, write } from '../app/routes';
import { useNow, useResponse } from '../app/useResponse';
import { useTitle } from '../app/useTitle';
import { formatAge, formatDate, formatInstant, formatYear, type Zone } from '../time/format';
import { DataTable } from '../ui/DataTable';
import { formatBytesOrNone, formatCount } from '../ui/numbers';
import { PageHead } from '../ui/PageHead';
import { FailurePanel, Skeleton, Warning } from '../ui/states';
import { CreateDialog } from './CreateDialog';
import { RevokeDialog } from './RevokeDialog';
import { loadTokens, type Token } from './tokens';
import { limitsOf, ratesOf, rightsOf } from './words';

/** How often the page looks for new requests of tokens. */
const pace = { seconds: 30, bypass: false };

/** The tokens of the server: what each may do, and when and how much it was used. */
export function TokensPage({ project }: PageProps) {
  const { client } = useServices();
  const { live } = useLiking();
  const { data, failure, busy, refresh } = useResponse({
    key: 'tokens',
    load: (options) => loadTokens(client, options),
    next: () => pace,
    live,
  });
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  useTitle(pageNames.tokens);
  return (
    <>
      <PageHead title={pageNames.tokens}>
        {data === null || data.obstacle !== '' ? null : (
          <button type="button" className="button button-main" onClick={() => setCreating(true)}>
            New token
          </button>
        )}
      </PageHead>
      {failure !== null && data === null ? (
        <FailurePanel failure={failure} busy={busy} onRetry={() => void refresh()} />
      ) : (
        <>
          <div className="panel box tokens">
            {data === null ? (
              <Skeleton label="Loading the tokens" height="rows" />
            ) : (
              <TokenTable tokens={data.tokens} project={project} onRevoke={setRevoking} />
            )}
          </div>
          {data === null || data.obstacle === '' ? null : (
            <Warning title="Tokens can only be listed here:">{data.obstacle}.</Warning>
          )}
        </>
      )}
      {creating && data !== null ? (
        <CreateDialog list={data} onCreated={() => void refresh()} onClose={() => setCreating(false)} />
      ) : null}
      {revoking === null ? null : (
        <RevokeDialog token={revoking} onRevoked={() => void refresh()} onClose={() => setRevoking(null)} />
      )}
    </>
  );
}

interface TokenTableProps {
  tokens: readonly Token[];
  project: string;
  onRevoke: (token: Token) => void;
}

function TokenTable({ tokens, project, onRevoke }: TokenTableProps) {
  const { zone } = useLiking();
  const now = useNow(10_000);
  const changes = tokens.some(({ revocable }) => revocable);
  const counted = tokens.some(({ today }) => today.bytes > 0);
  return (
    <DataTable
      caption="Tokens"
      columns={[
        { name: 'Name' },
        { name: 'May run or do' },
        { name: 'Projects and tier' },
        { name: 'Rate and budget' },
        { name: 'Expires' },
        { name: 'Created' },
        { name: 'Last used' },
        { name: 'Requests today', numeric: true },
        { name: 'Engine time today', numeric: true },
        ...(counted ? [{ name: 'Billed today', numeric: true }] : []),
        ...(changes ? [{ name: 'Change' }] : []),
      ]}
      rows={tokens.map((token) => ({
        key: token.name,
        cells: [
          <TokenName key="name" token={token} project={project} />,
          rightsOf(token),
          limitsOf(token),
          ratesOf(token),
          dayOf(token.expires, zone, 'Never'),
          dayOf(token.created, zone, '–'),
          lastUse(token, zone, now),
          formatCount(token.today.requests),
          `${Number(token.today.engineSeconds.toFixed(2))} s`,
          ...(counted ? [formatBytesOrNone(token.today.bytes)] : []),
          ...(changes ? [<RevokeButton key="revoke" token={token} onRevoke={onRevoke} />] : []),
        ],
      }))}
    />
  );
}

/** Asks to revoke a token; empty for one that cannot be. */
function RevokeButton({ token, onRevoke }: { token: Token } & Pick<TokenTableProps, 'onRevoke'>) {
  if (!token.revocable) return null;
  return (
    <button
      type="button"
      className="button danger-button"
      aria-label={`Revoke ${token.name}`}
      onClick={() => onRevoke(token)}
    >
      Revoke
    </button>
  );
}

/** The name of a token, which leads to what it used. */
function TokenName({ token: { name, state, current }, project }: { token: Token; project: string }) {
  const load = { by: 'endpoint', token: name, endpoint: '', measure: '', days: '' };
  return (
    <span className="row token-name">
      <Link href={write.usage({ project, interval: 'DAILY', view: 'chart', load })}>{name}</Link>
      {state === 'expired' ? <span className="badge warning">Expired</span> : null}
      {current ? <span className="badge good">This page</span> : null}
    </span>
  );
}

/** Such as "20 Nov 2026", with the time in its title. */
function dayOf(time: string | null, zone: Zone, otherwise: string) {
  if (time === null) return otherwise;
  const at = new Date(time);
  return (
    <time dateTime={time} title={formatInstant(at, 0, zone)}>
      {formatDate(at, zone)} {formatYear(at, zone)}
    </time>
  );
}

/** When a token was last used: to the second since the server started, and before that to the day. */
function lastUse({ lastUsed, lastDay }: Token, zone: Zone, now: number) {
  if (lastUsed !== null) {
    const at = new Date(lastUsed);
    return (
      <time dateTime={lastUsed} title={formatInstant(at, 0, zone)}>
        {formatAge(now - at.getTime()).replace(/ old$/, ' ago')}
      </time>
    );
  }
  if (lastDay !== null) return <time dateTime={lastDay}>{formatDate(new Date(lastDay), 'utc')}</time>;
  return 'Not in 30 days';
}
