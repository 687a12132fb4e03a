import { lazy, type ReactNode, Suspense, useEffect, useId, useRef, useState } from 'react';
import { type Failure, problemOf } from '../api/failure';
import { type LogsState, logRanges } from '../app/routes';
import { useViewer, visibleTiers } from '../app/viewer';
import { TimePicker } from '../time/TimePicker';
import { ChevronIcon } from '../ui/icons';
import { ProjectField } from '../ui/ProjectField';
import { Segmented } from '../ui/Segmented';
import { SelectField } from '../ui/SelectField';
import { useSlashKey } from '../ui/useSlashKey';
import { membersOf } from './entry';
import { FilterBar } from './FilterBar';
import type { LogEntry } from './loaded';
import type { KnownValue } from './query';
import { useSources } from './sources';
import { type FacetRow, facetFields } from './useOverview';

const SavedViews = lazy(() => import('./SavedViews'));

interface LogControlsProps {
  state: LogsState;
  /** Whether the project exists. */
  exists: boolean;
  failure: Failure | null;
  /** The values that entries have, for completion. */
  facets?: readonly FacetRow[] | null;
  /** Entries whose metadata is completed. */
  entries?: readonly LogEntry[];
  onChange: (part: Partial<LogsState>) => void;
  /** Further buttons. */
  children?: ReactNode;
}

/** The arguments with a field. */
export const logArguments = ['project', 'projectTier', 'text', 'filters', 'filter', 'source'] as const;

const presets = logRanges.filter(({ value }) => value !== 'custom');

const statusClasses = ['2xx', '3xx', '4xx', '5xx'];

/** How many entries have a status of a class; null for a value that is none, or if no status is counted. */
function classCount(value: string, counted: readonly FacetRow[]): number | null {
  if (!statusClasses.includes(value) || counted.length === 0) return null;
  return counted.reduce((sum, row) => (row.value[0] === value[0] ? sum + row.count : sum), 0);
}

/** The controls of the page: mode, project, tier, time range, and the bar for all filters. In a narrow window, a button opens the first three. */
export function LogControls({
  state,
  exists,
  failure,
  facets = null,
  entries = [],
  onChange,
  children,
}: LogControlsProps) {
  const { project, tier, range, live } = state;
  const viewer = useViewer();
  const sources = useSources();
  const bar = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLDivElement>(null);
  const rest = useId();
  const [open, setOpen] = useState(false);
  useSlashKey(() => {
    bar.current?.querySelector('input')?.select();
    bar.current?.querySelector('input')?.focus();
  });
  // Where the presets do not fit, they scroll.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another range is scrolled to.
  useEffect(() => {
    const picker = line.current?.querySelector('.time-picker');
    const chosen = picker?.querySelector<HTMLElement>(':is(label:has(:checked), [data-chosen=true])');
    picker?.scrollTo((chosen?.offsetLeft ?? 0) - (picker.clientWidth - (chosen?.offsetWidth ?? 0)) / 2, 0);
  }, [range]);
  const valuesOf = (field: string): readonly KnownValue[] => {
    if (!facetFields.some((name) => name === field)) return [];
    const counted = (facets ?? []).filter(({ facet, value }) => facet === field && value !== '');
    const others = field === 'source' ? sources : field === 'status' ? statusClasses : [];
    const rest = others.filter((other) => !counted.some(({ value }) => value === other));
    return [
      ...counted.map(({ value, count }) => ({ value, count })),
      ...rest.map((value) => ({ value, count: classCount(value, counted) })),
    ];
  };
  const known = { valuesOf, members: membersOf(entries) };
  // A field with a mistake is never hidden.
  const shown = open || project === '' || ['project', 'projectTier'].some((name) => problemOf(failure, name) !== null);
  const problems = ['text', 'filters', 'filter', 'source'].map((argument) => problemOf(failure, argument));
  return (
    <>
      <div ref={line} className="log-controls row">
        <button
          type="button"
          className="button log-options"
          aria-expanded={shown}
          aria-controls={rest}
          title="Project, tier and live tail"
          onClick={() => setOpen(!shown)}
        >
          <ChevronIcon />
          <span className="truncate">{live ? 'Live tail' : project || 'Project'}</span>
        </button>
        <div id={rest} className="log-rest row" data-open={shown}>
          {viewer.tail || live ? (
            <Segmented
              label="Mode"
              choices={[
                { value: 'stored', label: 'Stored' },
                { value: 'live', label: 'Live tail' },
              ]}
              value={live ? 'live' : 'stored'}
              onChange={(mode) => onChange({ live: mode === 'live' })}
            />
          ) : null}
          <ProjectField
            project={project}
            placeholder={live ? 'All projects' : ''}
            exists={exists}
            problem={problemOf(failure, 'project')}
            onChange={(chosen) => onChange({ project: chosen })}
          />
          {live ? null : (
            <SelectField
              label="Tier"
              choices={visibleTiers(viewer, tier)}
              value={tier}
              problem={problemOf(failure, 'projectTier')}
              onChange={(value) => onChange({ tier: value })}
            />
          )}
        </div>
        {live ? null : (
          <TimePicker
            presets={presets}
            value={range}
            onChange={(value) => onChange({ range: value })}
            bounds={{ start: state.start, end: state.end }}
            custom={range === 'custom'}
            onApply={(bounds) => onChange({ range: 'custom', ...bounds })}
          />
        )}
      </div>
      <div ref={bar} className="filter-row row">
        <FilterBar
          value={state.query}
          known={known}
          problem={problems.find((problem) => problem !== null) ?? null}
          onCommit={(query) => onChange({ query })}
        />
        <Suspense>
          <SavedViews state={state} />
        </Suspense>
        {children}
      </div>
    </>
  );
}
