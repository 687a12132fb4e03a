import { type UsageState, views } from '../app/routes';
import type { Zone } from '../time/format';
import { Segmented } from '../ui/Segmented';
import { spans, type UsageBucket } from './series';
import { UsageChart } from './UsageChart';
import { UsageTable } from './UsageTable';

interface UsageViewProps {
  buckets: UsageBucket[];
  state: UsageState;
  zone: Zone;
  onChange: (state: UsageState) => void;
}

/** The counts as a chart or as a table. */
export function UsageView({ buckets, state, zone, onChange }: UsageViewProps) {
  const { width } = spans[state.interval];
  return (
    <>
      <div className="panel-end">
        <Segmented label="View" choices={views} value={state.view} onChange={(view) => onChange({ ...state, view })} />
      </div>
      {state.view === 'table' ? (
        <UsageTable buckets={buckets} widthMs={width} zone={zone} />
      ) : (
        <UsageChart key={state.interval} buckets={buckets} widthMs={width} zone={zone} />
      )}
    </>
  );
}
