import type { Client, RequestOptions } from '../api/client';
import { type Caching, freshnessOf, secondsUntilChange } from '../api/freshness';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { useUsed } from '../app/projects';
import { apiCountIntervals, type UsageState, write } from '../app/routes';
import { replaceEarlier, useAnswer } from '../app/useAnswer';
import { useTitle } from '../app/useTitle';
import { UsageDocument } from '../gql/graphql';
import { Answered } from '../ui/Answered';
import { type Dated, FreshnessBar } from '../ui/FreshnessBar';
import { PageHead } from '../ui/PageHead';
import { Segmented } from '../ui/Segmented';
import { TextField } from '../ui/TextField';
import { AreaFigures } from './AreaFigures';
import { NoRequests } from './NoRequests';
import { type ApiCount, fillBuckets } from './series';
import { UsageView } from './UsageView';

interface UsageAnswer extends Dated {
  counts: ApiCount[];
  caching: Caching | null;
}

/** What other pages, too, understand as a project. */
const isReference = /^[\w-]+$/;

/** Requests of a project to the four API areas. */
export function UsagePage({ state }: { state: UsageState }) {
  const { address, client } = useServices();
  const { live, zone } = useLiking();
  const { project, interval } = state;
  useTitle(`API · ${project}`);
  const asked = useAnswer({
    key: JSON.stringify([project, interval]),
    ask: project === '' ? null : (options) => askCounts(client, state, options),
    fold: replaceEarlier<UsageAnswer>,
    secondsUntilChange: untilChange,
    live,
  });
  const exists = (asked.answer?.counts.length ?? 0) > 0;
  const projects = useUsed('project', project, exists && isReference.test(project));
  const change = (part: Partial<UsageState>): void => address.go(write.usage({ ...state, ...part }));
  return (
    <>
      <PageHead title="API">
        <FreshnessBar asked={asked} secondsUntilChange={asked.answer && untilChange(asked.answer)} />
      </PageHead>
      <div className="controls">
        <TextField
          label="Project, or an expression for URLs"
          value={project}
          suggestions={projects}
          onCommit={(text) => change({ project: text })}
        />
        <Segmented
          label="Interval"
          choices={apiCountIntervals}
          value={interval}
          onChange={(value) => change({ interval: value })}
        />
      </div>
      <Answered
        asked={asked}
        project={project}
        what="the requests to its API"
        height="chart"
        above={(answer) => <AreaFigures counts={answer?.counts ?? null} />}
      >
        {({ counts, freshness }) =>
          exists ? (
            <UsageView
              buckets={fillBuckets(counts, interval, new Date(freshness.asOf))}
              state={state}
              zone={zone}
              onChange={(next) => address.replace(write.usage(next))}
            />
          ) : (
            <NoRequests state={state} onWiden={() => change({ interval: 'DAILY' })} />
          )
        }
      </Answered>
    </>
  );
}

async function askCounts(client: Client, state: UsageState, options: RequestOptions): Promise<UsageAnswer> {
  const { project, interval } = state;
  const { data, freshness, receivedAt } = await client.query(UsageDocument, { project, interval }, options);
  return {
    counts: data.apiCounts,
    caching: data.endpoint,
    freshness: freshnessOf(freshness, 'apiCounts'),
    receivedAt,
  };
}

function untilChange(answer: UsageAnswer): number {
  return secondsUntilChange(answer.freshness, answer.caching);
}
