import { isUnreachable } from '../api/failure';
import type { LoadingDated } from './FreshnessBar';
import { EngineMessage, FailureId, FieldFailure, Warning } from './states';

interface NoticesProps {
  loading: LoadingDated;
  /** Whether a field shows the message of the failure. */
  problemAtField: boolean;
}

/** Warnings about the data, but for a server that is gone, which moves nothing, see FreshnessBar: a mistake in a field, a failed refresh, stale rows, a truncated result. */
export function Notices({ loading, problemAtField }: NoticesProps) {
  const { data, failure, previous } = loading;
  if (data === null) return null;
  return (
    <>
      {failure === null || (isUnreachable(failure) && !previous) ? null : previous && problemAtField ? (
        <FieldFailure failure={failure}>Correct the marked field. The rows are from before the mistake.</FieldFailure>
      ) : (
        <>
          <Warning title={previous ? 'These are the rows of the last request that succeeded.' : 'Refresh failed.'}>
            {failure.details.message} <FailureId failure={failure} />
          </Warning>
          <EngineMessage text={failure.details.cause} />
        </>
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
