import type { ReactNode } from 'react';
import type { Pace } from '../api/freshness';
import { useTitle } from '../app/useTitle';
import { type Dated, FreshnessBar } from './FreshnessBar';
import { PageHead } from './PageHead';
import { ResponseView, type ResponseViewProps } from './ResponseView';

interface ProjectPageProps<Data extends Dated> extends ResponseViewProps<Data> {
  title: string;
  /** How often it refreshes; null for never, or until known. */
  pace: Pace | null;
  /** The filters. */
  controls: ReactNode;
}

/** A page of a project: title, freshness, filters and data. */
export function ProjectPage<Data extends Dated>(props: ProjectPageProps<Data>) {
  const { title, pace, controls, ...response } = props;
  const { loading, project } = response;
  useTitle(`${title} · ${project}`);
  return (
    <>
      <PageHead title={title}>
        <FreshnessBar loading={loading} pace={pace} />
      </PageHead>
      {controls}
      <ResponseView {...response} />
    </>
  );
}
