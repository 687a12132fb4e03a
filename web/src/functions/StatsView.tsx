import { type FunctionsState, timeScales, views } from '../app/routes';
import type { Zone } from '../time/format';
import { Segmented } from '../ui/Segmented';
import { StatsCharts } from './StatsCharts';
import { StatsTable } from './StatsTable';
import { bucketWidths, type InvocationStat } from './series';

interface StatsViewProps {
  stats: InvocationStat[];
  state: FunctionsState;
  zone: Zone;
  onChange: (state: FunctionsState) => void;
}

/** The statistics as charts or as a table. */
export function StatsView({ stats, state, zone, onChange }: StatsViewProps) {
  const widthMs = bucketWidths[state.interval];
  return (
    <>
      <div className="panel-end">
        {state.view === 'table' ? null : (
          <Segmented
            label="Scale of execution times"
            choices={timeScales}
            value={state.scale}
            onChange={(scale) => onChange({ ...state, scale })}
          />
        )}
        <Segmented label="View" choices={views} value={state.view} onChange={(view) => onChange({ ...state, view })} />
      </div>
      {state.view === 'table' ? (
        <StatsTable stats={stats} widthMs={widthMs} zone={zone} />
      ) : (
        <StatsCharts key={state.interval} stats={stats} widthMs={widthMs} zone={zone} scale={state.scale} />
      )}
    </>
  );
}
