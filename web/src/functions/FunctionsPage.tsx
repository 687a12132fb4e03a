import type { Client, RequestOptions } from '../api/client';
import { type Caching, freshnessOf, secondsUntilChange } from '../api/freshness';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { useUsed } from '../app/projects';
import { type FunctionsState, invocationIntervals, write } from '../app/routes';
import { replaceEarlier, useAnswer } from '../app/useAnswer';
import { useTitle } from '../app/useTitle';
import { FunctionsDocument } from '../gql/graphql';
import { Answered } from '../ui/Answered';
import { type Dated, FreshnessBar } from '../ui/FreshnessBar';
import { PageHead } from '../ui/PageHead';
import { Segmented } from '../ui/Segmented';
import { TextField } from '../ui/TextField';
import { NoInvocations } from './NoInvocations';
import { StatsView } from './StatsView';
import { SummaryFigures } from './SummaryFigures';
import { bucketWidths, type InvocationStat, summarise } from './series';

interface StatsAnswer extends Dated {
  stats: InvocationStat[];
  caching: Caching | null;
}

/** Invocations, errors and execution times of a project's functions. */
export function FunctionsPage({ state }: { state: FunctionsState }) {
  const { address, client } = useServices();
  const { live, zone } = useLiking();
  const { project, functionId, interval } = state;
  useTitle(`Functions · ${project}`);
  const asked = useAnswer({
    key: JSON.stringify([project, functionId, interval]),
    ask: project === '' ? null : (options) => askStats(client, state, options),
    fold: replaceEarlier<StatsAnswer>,
    secondsUntilChange: untilChange,
    live,
  });
  const exists = asked.answer?.stats.some((stat) => stat.count > 0) ?? false;
  const projects = useUsed('project', project, exists);
  const functions = useUsed(`function.${project}`, functionId, exists);
  const change = (part: Partial<FunctionsState>): void => address.go(write.functions({ ...state, ...part }));
  const range = `last ${invocationIntervals.find((choice) => choice.value === interval)?.label}`;
  return (
    <>
      <PageHead title="Functions">
        <FreshnessBar asked={asked} secondsUntilChange={asked.answer && untilChange(asked.answer)} />
      </PageHead>
      <div className="controls">
        <TextField
          label="Project"
          value={project}
          suggestions={projects}
          onCommit={(text) => change({ project: text, functionId: '' })}
        />
        <TextField
          label="Function id"
          value={functionId}
          placeholder="All functions"
          suggestions={functions}
          onCommit={(text) => change({ functionId: text })}
        />
        <Segmented
          label="Interval"
          choices={invocationIntervals}
          value={interval}
          onChange={(value) => change({ interval: value })}
        />
      </div>
      <Answered
        asked={asked}
        project={project}
        what="the invocations of its functions"
        height="charts"
        above={(answer) => (
          <SummaryFigures
            summary={answer && summarise(answer.stats)}
            widthMs={bucketWidths[interval]}
            range={range}
            zone={zone}
          />
        )}
      >
        {({ stats }) =>
          exists ? (
            <StatsView
              stats={stats}
              state={state}
              zone={zone}
              onChange={(next) => address.replace(write.functions(next))}
            />
          ) : (
            <NoInvocations state={state} range={range} onWiden={() => change({ interval: 'SEVEN_DAYS' })} />
          )
        }
      </Answered>
    </>
  );
}

async function askStats(client: Client, state: FunctionsState, options: RequestOptions): Promise<StatsAnswer> {
  const { project, functionId, interval } = state;
  const variables = { project, functionId: functionId === '' ? null : functionId, interval };
  const { data, freshness, receivedAt } = await client.query(FunctionsDocument, variables, options);
  return {
    stats: data.invocationStats,
    caching: data.endpoint,
    freshness: freshnessOf(freshness, 'invocationStats'),
    receivedAt,
  };
}

function untilChange(answer: StatsAnswer): number {
  return secondsUntilChange(answer.freshness, answer.caching);
}
