import { useMemo } from 'react';
import { Legend } from '../chart/Legend';
import type { Look } from '../endpoints/address';
import { Segmented } from '../ui/Segmented';
import { BarTable } from './BarTable';
import { categoriesOf } from './categories';
import { arrangementOf, type ChangeLook } from './look';
import { Notes } from './Notes';
import type { Plan } from './plan';
import { arrangements, drawn } from './style';
import type { Row } from './types';

interface CategoryChartProps {
  plan: Extract<Plan, { kind: 'categories' }>;
  caption: string;
  rows: readonly Row[];
  /** The names of series that are not drawn. */
  hidden: ReadonlySet<string>;
  onToggle: (name: string) => void;
  look: Look;
  onLook: ChangeLook;
}

/** Rows without times, as bars with their values. */
export function CategoryChart({ plan, caption, rows, hidden, onToggle, look, onLook }: CategoryChartProps) {
  const arrangement = arrangementOf(look);
  const { names, frames, notes } = useMemo(() => categoriesOf(plan, rows), [plan, rows]);
  const charts = useMemo(() => drawn(frames, arrangement, hidden), [frames, arrangement, hidden]);
  const several = frames.some(({ series }) => series.length > 1);
  const unstacked = arrangement === 'stacked' && charts.some(({ stacked }) => !stacked);
  return (
    <>
      {several ? (
        <Segmented
          label="Arrangement"
          choices={arrangements}
          value={arrangement}
          onChange={(chosen) => onLook({ arrangement: chosen })}
        />
      ) : null}
      {charts.map((frame, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: frames have no identity.
        <figure key={index}>
          <figcaption className="chart-head row">
            {frame.title === '' ? null : <h2>{frame.title}</h2>}
            <Legend
              entries={frame.series.map(({ name, tone, hidden }) => ({ name, tone, mark: 'column', hidden }))}
              onToggle={several ? onToggle : undefined}
            />
          </figcaption>
          <BarTable
            caption={frame.title === '' ? caption : `${caption}: ${frame.title}`}
            heading={plan.category?.name ?? 'Name'}
            names={names}
            frame={frame}
          />
        </figure>
      ))}
      <Notes notes={[...notes, ...plan.notes, ...(unstacked ? ['Values below zero are not stacked.'] : [])]} />
    </>
  );
}
