import { type Failure, problemOf } from '../api/failure';
import { type LogsState, logRanges } from '../app/routes';
import { useViewer, visibleTiers } from '../app/viewer';
import { ProjectField } from '../ui/ProjectField';
import { Segmented } from '../ui/Segmented';
import { SelectField } from '../ui/SelectField';
import { RangeForm } from './RangeForm';

interface LogControlsProps {
  state: LogsState;
  /** Whether the project exists. */
  exists: boolean;
  failure: Failure | null;
  onChange: (part: Partial<LogsState>) => void;
}

/** Switches between what is stored and what arrives, if the token can follow logs. */
export function ModeSwitch({ live, onChange }: { live: boolean; onChange: (part: Partial<LogsState>) => void }) {
  const { tail } = useViewer();
  if (!live && !tail) return null;
  return (
    <Segmented
      label="Mode"
      labelled
      choices={[
        { value: 'stored', label: 'Stored' },
        { value: 'live', label: 'Live tail' },
      ]}
      value={live ? 'live' : 'stored'}
      onChange={(mode) => onChange({ live: mode === 'live' })}
    />
  );
}

/** The arguments with a field. */
export const logArguments = ['project', 'projectTier', 'isoTimestampStart', 'isoTimestampEnd'] as const;

/** The filters of the request: project, tier and time range. */
export function LogControls({ state, exists, failure, onChange }: LogControlsProps) {
  const { project, tier, range } = state;
  const problems = Object.fromEntries(logArguments.map((argument) => [argument, problemOf(failure, argument)]));
  return (
    <div className="controls row">
      <ModeSwitch live={false} onChange={onChange} />
      <ProjectField
        project={project}
        exists={exists}
        problem={problems.project ?? null}
        onChange={(chosen) => onChange({ project: chosen })}
      />
      <SelectField
        label="Tier"
        choices={visibleTiers(useViewer(), tier)}
        value={tier}
        problem={problems.projectTier ?? null}
        onChange={(value) => onChange({ tier: value })}
      />
      <Segmented
        label="Time range"
        labelled
        choices={logRanges}
        value={range}
        onChange={(value) => onChange({ range: value })}
      />
      {range === 'custom' ? (
        <RangeForm
          start={state.start}
          end={state.end}
          startProblem={problems.isoTimestampStart ?? null}
          endProblem={problems.isoTimestampEnd ?? null}
          onApply={onChange}
        />
      ) : null}
    </div>
  );
}
