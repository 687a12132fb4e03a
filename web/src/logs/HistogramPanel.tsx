import { mayRun, useViewer } from '../app/viewer';
import { Skeleton, Warning } from '../ui/states';
import { Histogram } from './Histogram';
import type { Overview } from './useOverview';

interface HistogramPanelProps {
  overview: Overview;
  /** Narrows the time range to that from one time to another. */
  onSelect: (from: number, to: number) => void;
}

/** The matching entries over time, for tokens that can see them. */
export function HistogramPanel({ overview: { histogram, outdated, failure }, onSelect }: HistogramPanelProps) {
  const viewer = useViewer();
  if (histogram !== null) {
    return (
      <div className={outdated.histogram ? 'previous' : undefined} aria-busy={outdated.histogram}>
        <Histogram {...histogram} onSelect={onSelect} />
      </div>
    );
  }
  if (failure !== null) {
    return <Warning title="The histogram could not be loaded.">{failure.details.message}</Warning>;
  }
  if (!mayRun(viewer, 'logs.histogram')) return null;
  return (
    <div className="panel box log-histogram">
      <Skeleton label="Loading the histogram" height="chart-low" />
    </div>
  );
}
