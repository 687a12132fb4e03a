import type { ReactNode } from 'react';
import type { Pace } from '../api/freshness';
import { useTitle } from '../app/useTitle';
import { Answered, type AnsweredProps } from './Answered';
import { type Dated, FreshnessBar } from './FreshnessBar';
import { PageHead } from './PageHead';

interface ProjectPageProps<Answer extends Dated> extends AnsweredProps<Answer> {
  title: string;
  /** How often it refreshes; null for never, or while that is not known. */
  pace: Pace | null;
  /** What can be chosen. */
  controls: ReactNode;
}

/** A page about a project: its title, how fresh it is, what can be chosen, and what was answered. */
export function ProjectPage<Answer extends Dated>(props: ProjectPageProps<Answer>) {
  const { title, pace, controls, ...answered } = props;
  const { asked, project } = answered;
  useTitle(`${title} · ${project}`);
  return (
    <>
      <PageHead title={title}>
        <FreshnessBar asked={asked} pace={pace} />
      </PageHead>
      {controls}
      <Answered {...answered} />
    </>
  );
}
