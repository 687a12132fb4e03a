import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { useUsed } from '../app/projects';
import { type FunctionsState, invocationIntervals, rangeOf, write } from '../app/routes';
import { FunctionsDocument } from '../gql/graphql';
import { NothingInRange } from '../series/NothingInRange';
import { SeriesView } from '../series/SeriesView';
import { seriesChangesIn, useSeries } from '../series/useSeries';
import { ProjectPage } from '../ui/ProjectPage';
import { Segmented } from '../ui/Segmented';
import { TextField } from '../ui/TextField';
import { StatsCharts } from './StatsCharts';
import { StatsTable } from './StatsTable';
import { SummaryFigures } from './SummaryFigures';
import { bucketWidths, type InvocationStat, summarise } from './series';

/** Invocations, errors and execution times of a project's functions. */
export function FunctionsPage({ state }: { state: FunctionsState }) {
  const { address } = useServices();
  const { zone } = useLiking();
  const { project, functionId, interval, view, scale } = state;
  const asked = useSeries(FunctionsDocument, { project, functionId: functionId === '' ? null : functionId, interval });
  const exists = asked.answer !== null && !asked.former && someRan(asked.answer.rows);
  const projects = useUsed('project', project, exists);
  const functions = useUsed(`function.${project}`, functionId, exists);
  const go = (part: Partial<FunctionsState>): void => address.go(write.functions({ ...state, ...part }));
  const replace = (part: Partial<FunctionsState>): void => address.replace(write.functions({ ...state, ...part }));
  return (
    <ProjectPage
      title="Functions"
      asked={asked}
      project={project}
      secondsUntilChange={seriesChangesIn}
      what="the invocations of its functions"
      height="charts"
      controls={
        <div className="controls">
          <TextField
            label="Project"
            value={project}
            suggestions={projects}
            onCommit={(text) => go({ project: text, functionId: '' })}
          />
          <TextField
            label="Function id"
            value={functionId}
            placeholder="All functions"
            suggestions={functions}
            onCommit={(text) => go({ functionId: text })}
          />
          <Segmented
            label="Interval"
            labelled
            choices={invocationIntervals}
            value={interval}
            onChange={(value) => go({ interval: value })}
          />
        </div>
      }
      above={(answer) => {
        const shown = answer?.variables.interval ?? interval;
        return (
          <SummaryFigures
            summary={answer && summarise(answer.rows)}
            widthMs={bucketWidths[shown]}
            range={rangeOf(invocationIntervals, shown)}
            zone={zone}
          />
        );
      }}
    >
      {({ rows, variables }) => {
        const widthMs = bucketWidths[variables.interval];
        return someRan(rows) ? (
          <SeriesView
            view={view}
            onChange={(value) => replace({ view: value })}
            chart={
              <StatsCharts
                key={variables.interval}
                stats={rows}
                widthMs={widthMs}
                zone={zone}
                scale={scale}
                onScale={(value) => replace({ scale: value })}
              />
            }
            table={<StatsTable stats={rows} widthMs={widthMs} zone={zone} />}
          />
        ) : (
          <NothingInRange
            what="invocations"
            range={rangeOf(invocationIntervals, variables.interval)}
            onWiden={variables.interval === 'SEVEN_DAYS' ? null : () => go({ interval: 'SEVEN_DAYS' })}
          >
            {variables.functionId ? (
              <>
                The function <code>{variables.functionId}</code> of the project <code>{variables.project}</code> did not
                run in this time.
              </>
            ) : (
              <>
                No function of the project <code>{variables.project}</code> ran in this time.
              </>
            )}
          </NothingInRange>
        );
      }}
    </ProjectPage>
  );
}

function someRan(stats: InvocationStat[]): boolean {
  return stats.some((stat) => stat.count > 0);
}
