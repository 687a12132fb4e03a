import type { ReactNode } from 'react';
import { type View, views } from '../app/routes';
import { Segmented } from '../ui/Segmented';

interface SeriesViewProps {
  view: View;
  onChange: (view: View) => void;
  chart: ReactNode;
  table: ReactNode;
}

/** A series as a chart or as a table. */
export function SeriesView({ view, onChange, chart, table }: SeriesViewProps) {
  return (
    <>
      <div className="panel-end row">
        <Segmented label="View" choices={views} value={view} onChange={onChange} />
      </div>
      {view === 'table' ? (
        <>
          <h2>By bucket, newest first</h2>
          {table}
        </>
      ) : (
        chart
      )}
    </>
  );
}
