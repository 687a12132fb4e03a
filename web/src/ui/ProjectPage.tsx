import type { ReactNode } from 'react';
import { useTitle } from '../app/useTitle';
import { Answered, type AnsweredProps } from './Answered';
import { type Dated, FreshnessBar } from './FreshnessBar';
import { PageHead } from './PageHead';

interface ProjectPageProps<Answer extends Dated> extends AnsweredProps<Answer> {
  title: string;
  /** In how many seconds an answer may have changed; null for never. */
  secondsUntilChange: (answer: Answer) => number | null;
  /** What can be chosen. */
  controls: ReactNode;
}

/** A page about a project: its title, how fresh it is, what can be chosen, and what was answered. */
export function ProjectPage<Answer extends Dated>(props: ProjectPageProps<Answer>) {
  const { title, secondsUntilChange, controls, ...answered } = props;
  const { asked, project } = answered;
  useTitle(`${title} · ${project}`);
  return (
    <>
      <PageHead title={title}>
        <FreshnessBar asked={asked} secondsUntilChange={asked.answer && secondsUntilChange(asked.answer)} />
      </PageHead>
      {controls}
      <Answered {...answered} />
    </>
  );
}
