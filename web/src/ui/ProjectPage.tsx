import type { ReactNode } from 'react';
import type { Pace } from '../api/freshness';
import { useTitle } from '../app/useTitle';
import { type Dated, FreshnessBar } from './FreshnessBar';
import { PageHead } from './PageHead';
import { ResponseView, type ResponseViewProps } from './ResponseView';

interface ProjectPageProps<Data extends Dated> extends ResponseViewProps<Data> {
  title: string;
  /** How often it refreshes; null for never, or while that is not known. */
  pace: Pace | null;
  /** What can be chosen. */
  controls: ReactNode;
}

/** A page about a project: its title, how fresh it is, what can be chosen, and what was answered. */
export function ProjectPage<Data extends Dated>(props: ProjectPageProps<Data>) {
  const { title, pace, controls, ...answered } = props;
  const { loading, project } = answered;
  useTitle(`${title} · ${project}`);
  return (
    <>
      <PageHead title={title}>
        <FreshnessBar loading={loading} pace={pace} />
      </PageHead>
      {controls}
      <ResponseView {...answered} />
    </>
  );
}
