import type { ReactNode } from 'react';
import type { Asked } from '../app/useAnswer';
import type { Dated } from './FreshnessBar';
import { Notices } from './Notices';
import { Empty, FailurePanel, Skeleton } from './states';

export interface AnsweredProps<Answer extends Dated> {
  asked: Asked<Answer>;
  /** Where it is empty there is nothing to ask for. */
  project: string;
  /** What is being loaded, such as "the log entries". */
  what: string;
  height: 'charts' | 'chart' | 'rows';
  /** The arguments whose fields say what is wrong with them. */
  fields: readonly string[];
  /** What stands above the panel; it gets null while it is loading. */
  above?: (answer: Answer | null) => ReactNode;
  children: (answer: Answer) => ReactNode;
}

/**
 * What is shown of a question about a project, in each state that it can be in. The
 * answer to the question before stays, in grey, until the new one is there, so that
 * nothing jumps.
 */
export function Answered<Answer extends Dated>(props: AnsweredProps<Answer>) {
  const { asked, project, what, height, fields, above, children } = props;
  const { answer, former, failure, busy } = asked;
  if (project === '') {
    return (
      <Empty title="Which project?">
        <p>Enter the reference of a project to see {what}.</p>
      </Empty>
    );
  }
  if (failure !== null && answer === null) {
    const atField = fields.includes(failure.details.argument ?? '');
    return <FailurePanel failure={failure} atField={atField} onRetry={() => asked.again()} />;
  }
  return (
    <>
      <p className="visually-hidden" role="status">
        {former ? `Loading ${what}` : ''}
      </p>
      <div className={former ? 'former' : undefined} aria-busy={busy}>
        <Notices asked={asked} />
        {above?.(answer)}
        <div className="panel">
          {answer === null ? <Skeleton label={`Loading ${what}`} height={height} /> : children(answer)}
        </div>
      </div>
    </>
  );
}
