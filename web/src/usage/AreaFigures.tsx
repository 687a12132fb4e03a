import { Figures } from '../ui/Figures';
import { formatCount, formatShare } from '../ui/numbers';
import { areas } from './areas';
import type { ApiCount } from './series';

interface AreaFiguresProps {
  /** Null while they are loading. */
  counts: ApiCount[] | null;
  /** The range in words, such as "last 7 days". */
  range: string;
}

/** What each area comes to in the whole range. */
export function AreaFigures({ counts, range }: AreaFiguresProps) {
  const totals = areas.map((area) => (counts ?? []).reduce((sum, count) => sum + count[area.field], 0));
  const all = totals.reduce((sum, total) => sum + total, 0);
  return (
    <Figures
      figures={areas.map((area, index) => ({
        name: area.name,
        value: counts && formatCount(totals[index] ?? 0),
        note: `${formatShare(totals[index] ?? 0, all)}, ${range}`,
        tone: area.tone,
      }))}
    />
  );
}
