import type { LoadingDated } from './FreshnessBar';
import { Warning } from './states';

/** What a viewer has to know before trusting what is shown. */
export function Notices({ loading }: { loading: LoadingDated }) {
  const { data, failure } = loading;
  if (data === null) return null;
  return (
    <>
      {failure === null ? null : (
        <Warning title="Not up to date.">
          The last refresh failed: {failure.details.message} (<code>{failure.details.code}</code>
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
          The server could not refresh these rows and serves the last ones that it has. This page keeps trying.
        </Warning>
      ) : null}
      {data.freshness.truncated ? (
        <Warning title="Not all rows are here.">The result was cut off at the endpoint's row limit.</Warning>
      ) : null}
    </>
  );
}
