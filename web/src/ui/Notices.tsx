import type { LoadingDated } from './FreshnessBar';
import { Warning } from './states';

/** Warnings about the data: a failed refresh, stale rows, a truncated result. */
export function Notices({ loading }: { loading: LoadingDated }) {
  const { data, failure } = loading;
  if (data === null) return null;
  return (
    <>
      {failure === null ? null : (
        <Warning title="Refresh failed.">
          {failure.details.message} (<code>{failure.details.code}</code>
          {failure.details.requestId === undefined ? null : (
            <>
              , request <code>{failure.details.requestId}</code>
            </>
          )}
          )
        </Warning>
      )}
      {data.freshness.cache === 'STALE' ? (
        <Warning title="Stale data.">
          The server could not refresh these rows and serves the last cached ones. This page keeps trying.
        </Warning>
      ) : null}
      {data.freshness.truncated ? (
        <Warning title="Result truncated.">Rows beyond the endpoint's row limit are not shown.</Warning>
      ) : null}
    </>
  );
}
