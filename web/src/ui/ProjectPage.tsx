import { type ReactNode, Suspense } from 'react';
import type { Pace } from '../api/freshness';
import type { Loading } from '../app/useResponse';
import { useTitle } from '../app/useTitle';
import { type Dated, FreshnessBar } from './FreshnessBar';
import { Notices } from './Notices';
import { PageHead } from './PageHead';
import { Empty, FailurePanel, Skeleton } from './states';

interface ProjectPageProps<Data extends Dated> {
  title: string;
  loading: Loading<Data>;
  /** If it is empty, nothing is requested. */
  project: string;
  /** How often it refreshes; null until known. */
  pace: Pace | null;
  /** What is being loaded, such as "the log entries". */
  what: string;
  height: 'charts' | 'chart' | 'rows';
  /** The arguments whose fields show their own errors. */
  fields: readonly string[];
  /** The filters. */
  controls: ReactNode;
  /** What is above the panel; it gets null while loading. */
  above: (data: Data | null) => ReactNode;
  children: (data: Data) => ReactNode;
  /** What is below the panel. */
  below?: ReactNode;
}

/** A page of a project: title, freshness, filters, and the response in each of its states. */
export function ProjectPage<Data extends Dated>(props: ProjectPageProps<Data>) {
  const { title, loading, project, pace, controls } = props;
  useTitle(`${title} · ${project}`);
  return (
    <>
      <PageHead title={title}>
        <FreshnessBar loading={loading} pace={pace} />
      </PageHead>
      {controls}
      <ResponseView {...props} />
    </>
  );
}

/**
 * Shows the response of a project in each state. The previous data stays, in grey,
 * until the new data arrives, so that nothing jumps.
 */
function ResponseView<Data extends Dated>(props: ProjectPageProps<Data>) {
  const { loading, project, what, height, fields, above, children, below } = props;
  const { data, previous, failure, busy } = loading;
  if (project === '') {
    return (
      <Empty title="No project selected">
        <p>Enter a project reference to see {what}.</p>
      </Empty>
    );
  }
  const atField = fields.includes(failure?.details.argument ?? '');
  if (failure !== null && data === null) {
    return <FailurePanel failure={failure} atField={atField} busy={busy} onRetry={() => loading.refresh()} />;
  }
  // What is below comes with the panel, whose height is not known before.
  const skeleton = (
    <div className="panel box">
      <Skeleton label={`Loading ${what}`} height={height} />
    </div>
  );
  return (
    <>
      <p className="visually-hidden" role="status">
        {previous && failure === null ? `Loading ${what}` : ''}
      </p>
      <Notices loading={loading} problemAtField={atField} />
      <div className={previous ? 'previous' : undefined} aria-busy={busy}>
        {above(data)}
        {data === null ? (
          skeleton
        ) : (
          <Suspense fallback={skeleton}>
            <div className="panel box">{children(data)}</div>
            {below}
          </Suspense>
        )}
      </div>
    </>
  );
}
