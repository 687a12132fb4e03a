import { type LogsState, logRanges, projectTiers } from '../app/routes';
import { isTime } from '../time/iso';
import { Segmented } from '../ui/Segmented';
import { SelectField } from '../ui/SelectField';
import { TextField } from '../ui/TextField';

interface LogControlsProps {
  state: LogsState;
  projects: string[];
  onChange: (part: Partial<LogsState>) => void;
}

/** What entries are asked for: of which project, tier and time range. */
export function LogControls({ state, projects, onChange }: LogControlsProps) {
  const { project, tier, range, start, end } = state;
  return (
    <div className="controls">
      <TextField
        label="Project"
        value={project}
        suggestions={projects}
        onCommit={(text) => onChange({ project: text })}
      />
      <SelectField label="Tier" choices={projectTiers} value={tier} onChange={(value) => onChange({ tier: value })} />
      <Segmented
        label="Time range"
        labelled
        choices={logRanges}
        value={range}
        onChange={(value) => onChange({ range: value })}
      />
      {range === 'custom' ? (
        <div className="controls-row">
          <TextField
            label="After"
            value={start}
            placeholder="2026-11-20 09:00"
            check={problemOf}
            onCommit={(text) => onChange({ start: text })}
          />
          <TextField
            label="Up to and including"
            value={end}
            placeholder="2026-11-20 10:00+01:00"
            check={problemOf}
            onCommit={(text) => onChange({ end: text })}
          />
        </div>
      ) : null}
    </div>
  );
}

function problemOf(text: string): string | null {
  return text === '' || isTime(text) ? null : 'Write a time such as 2026-11-20T10:00:00Z. Without an offset it is UTC.';
}
