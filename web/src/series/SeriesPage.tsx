import { lazy, type ReactNode, Suspense } from 'react';
import { problemOf } from '../api/failure';
import { useLiking } from '../app/preferences';
import { type Choice, type View, views } from '../app/routes';
import { formatInstant, type Zone } from '../time/format';
import { TimePicker } from '../time/TimePicker';
import { type Figure, Figures } from '../ui/Figures';
import { ProjectField } from '../ui/ProjectField';
import { ProjectPage } from '../ui/ProjectPage';
import { Segmented } from '../ui/Segmented';
import { Skeleton } from '../ui/states';
import type { Span } from './spans';
import type { LoadingSeries, Series } from './useSeries';

const NothingInRange = lazy(async () => ({ default: (await import('./NothingInRange')).NothingInRange }));

interface State<Interval> {
  project: string;
  interval: Interval;
  view: View;
}

interface SeriesPageProps<Row, Interval extends string, Variables> {
  title: string;
  /** What is being loaded. */
  what: string;
  /** What is counted, such as "invocations". */
  things: string;
  height: 'charts' | 'chart';
  state: State<Interval>;
  loading: LoadingSeries<Row, Variables>;
  intervals: readonly Choice<Interval>[];
  widest: Interval;
  spans: { [interval in Interval]: Span };
  /** Navigates to another state, or replaces the current one without a history entry. */
  onGo: (part: Partial<State<Interval>>) => void;
  onReplace: (part: Partial<State<Interval>>) => void;
  projectLabel?: string;
  /** Whether the project is suggested on other pages. */
  isReference?: boolean;
  /** Fields after the project. */
  fields?: { names: readonly string[]; view: ReactNode };
  /** Whether nothing was counted. */
  isEmpty: (series: Series<Row, Variables>) => boolean;
  /** Reports whether a filter has been applied besides the project; by default none. */
  isFiltered?: (variables: Variables) => boolean;
  /** Describes an empty result. */
  describeEmpty: (variables: Variables) => ReactNode;
  /** The start of the time range. */
  since: (series: Series<Row, Variables>) => Date;
  figures: (series: Series<Row, Variables> | null, widthMs: number, zone: Zone) => Figure[];
  chart: (series: Series<Row, Variables>, widthMs: number, zone: Zone) => ReactNode;
  table: (series: Series<Row, Variables>, widthMs: number, zone: Zone) => ReactNode;
  /** What is below the chart or table. */
  below?: ReactNode;
}

/** A page with the time series of a project: filters, totals, and a chart or a table. */
export function SeriesPage<Row, Interval extends string, Variables extends { project: string; interval: Interval }>(
  props: SeriesPageProps<Row, Interval, Variables>,
) {
  const { state, loading, spans, onGo, fields } = props;
  const { zone } = useLiking();
  const { project, interval, view } = state;
  const { data, previous, failure } = loading;
  const exists = data !== null && !previous && !props.isEmpty(data);
  const widthOf = (series: Series<Row, Variables> | null): number =>
    spans[series?.variables.interval ?? interval].width;
  const sinceOf = (series: Series<Row, Variables>): string =>
    `since ${formatInstant(props.since(series), widthOf(series), zone)}`;
  return (
    <ProjectPage
      title={props.title}
      loading={loading}
      project={project}
      pace={loading.pace}
      what={props.what}
      height={props.height}
      fields={['project', ...(fields?.names ?? [])]}
      below={props.below}
      controls={
        <div className="controls row">
          <ProjectField
            {...(props.projectLabel === undefined ? {} : { label: props.projectLabel })}
            project={project}
            exists={exists && props.isReference !== false}
            problem={problemOf(failure, 'project')}
            onChange={(chosen) => onGo({ project: chosen })}
          />
          {fields?.view}
          <TimePicker
            presets={props.intervals}
            value={interval}
            onChange={(chosen) => onGo({ interval: chosen } as Partial<State<Interval>>)}
          />
          <Segmented
            label="View"
            labelled
            choices={views}
            value={view}
            onChange={(chosen) => props.onReplace({ view: chosen } as Partial<State<Interval>>)}
          />
        </div>
      }
      above={(series) => (
        <Figures
          caption={series === null ? '' : `Totals ${sinceOf(series)}`}
          figures={props.figures(series, widthOf(series), zone)}
        />
      )}
    >
      {(series) =>
        props.isEmpty(series) ? (
          <Suspense fallback={<Skeleton label="Loading" height="rows" />}>
            <NothingInRange
              title={`No ${props.things} ${sinceOf(series)}`}
              filtered={props.isFiltered?.(series.variables) ?? false}
              onWiden={
                series.variables.interval === props.widest
                  ? null
                  : () => onGo({ interval: props.widest } as Partial<State<Interval>>)
              }
            >
              {props.describeEmpty(series.variables)}
            </NothingInRange>
          </Suspense>
        ) : view === 'chart' ? (
          props.chart(series, widthOf(series), zone)
        ) : (
          props.table(series, widthOf(series), zone)
        )
      }
    </ProjectPage>
  );
}
