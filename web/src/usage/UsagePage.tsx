import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { useUsed } from '../app/projects';
import { apiCountIntervals, rangeOf, type UsageState, write } from '../app/routes';
import { UsageDocument } from '../gql/graphql';
import { NothingInRange } from '../series/NothingInRange';
import { SeriesView } from '../series/SeriesView';
import { seriesChangesIn, useSeries } from '../series/useSeries';
import { ProjectPage } from '../ui/ProjectPage';
import { Segmented } from '../ui/Segmented';
import { TextField } from '../ui/TextField';
import { AreaFigures } from './AreaFigures';
import { fillBuckets, spans } from './series';
import { UsageChart } from './UsageChart';
import { UsageTable } from './UsageTable';

/** What other pages, too, understand as a project. */
const isReference = /^[\w-]+$/;

/** Requests of a project to the four API areas. */
export function UsagePage({ state }: { state: UsageState }) {
  const { address } = useServices();
  const { zone } = useLiking();
  const { project, interval, view } = state;
  const asked = useSeries(UsageDocument, { project, interval });
  const exists = asked.answer !== null && !asked.former && asked.answer.rows.length > 0;
  const projects = useUsed('project', project, exists && isReference.test(project));
  const go = (part: Partial<UsageState>): void => address.go(write.usage({ ...state, ...part }));
  return (
    <ProjectPage
      title="API"
      asked={asked}
      project={project}
      secondsUntilChange={seriesChangesIn}
      what="the requests to its API"
      height="chart"
      controls={
        <div className="controls">
          <TextField
            label="Project, or an expression for URLs"
            value={project}
            suggestions={projects}
            onCommit={(text) => go({ project: text })}
          />
          <Segmented
            label="Interval"
            labelled
            choices={apiCountIntervals}
            value={interval}
            onChange={(value) => go({ interval: value })}
          />
        </div>
      }
      above={(answer) => (
        <AreaFigures
          counts={answer?.rows ?? null}
          range={rangeOf(apiCountIntervals, answer?.variables.interval ?? interval)}
        />
      )}
    >
      {({ rows, variables, freshness }) => {
        const buckets = fillBuckets(rows, variables.interval, new Date(freshness.asOf));
        const widthMs = spans[variables.interval].width;
        return rows.length > 0 ? (
          <SeriesView
            view={view}
            onChange={(value) => address.replace(write.usage({ ...state, view: value }))}
            chart={<UsageChart key={variables.interval} buckets={buckets} widthMs={widthMs} zone={zone} />}
            table={<UsageTable buckets={buckets} widthMs={widthMs} zone={zone} />}
          />
        ) : (
          <NothingInRange
            what="requests"
            range={rangeOf(apiCountIntervals, variables.interval)}
            onWiden={variables.interval === 'DAILY' ? null : () => go({ interval: 'DAILY' })}
          >
            No URL that was requested in this time matches <code>{variables.project}</code>.
          </NothingInRange>
        );
      }}
    </ProjectPage>
  );
}
