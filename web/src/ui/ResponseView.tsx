import type { ReactNode } from 'react';
import type { Loading } from '../app/useResponse';
import type { Dated } from './FreshnessBar';
import { Notices } from './Notices';
import { Empty, FailurePanel, Skeleton } from './states';

export interface ResponseViewProps<Data extends Dated> {
  loading: Loading<Data>;
  /** If it is empty, nothing is requested. */
  project: string;
  /** What is being loaded, such as "the log entries". */
  what: string;
  height: 'charts' | 'chart' | 'rows';
  /** The arguments whose fields show their own errors. */
  fields: readonly string[];
  /** What is above the panel; it gets null while loading. */
  above?: (data: Data | null) => ReactNode;
  children: (data: Data) => ReactNode;
}

/**
 * Shows the response of a project in each state. The previous data stays, in grey,
 * until the new data arrives, so that nothing jumps.
 */
export function ResponseView<Data extends Dated>(props: ResponseViewProps<Data>) {
  const { loading, project, what, height, fields, above, children } = props;
  const { data, previous, failure, busy } = loading;
  if (project === '') {
    return (
      <Empty title="No project selected">
        <p>Enter a project reference to see {what}.</p>
      </Empty>
    );
  }
  if (failure !== null && data === null) {
    const atField = fields.includes(failure.details.argument ?? '');
    return <FailurePanel failure={failure} atField={atField} busy={busy} onRetry={() => loading.refresh()} />;
  }
  return (
    <>
      <p className="visually-hidden" role="status">
        {previous ? `Loading ${what}` : ''}
      </p>
      <div className={previous ? 'previous' : undefined} aria-busy={busy}>
        <Notices loading={loading} />
        {above?.(data)}
        <div className="panel box">
          {data === null ? <Skeleton label={`Loading ${what}`} height={height} /> : children(data)}
        </div>
      </div>
    </>
  );
}
