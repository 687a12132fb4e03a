import { Figures } from '../ui/Figures';
import { formatCount, formatShare } from '../ui/numbers';
import { areas } from './areas';
import type { ApiCount } from './series';

/** What each area comes to in the whole range; null while it is loading. */
export function AreaFigures({ counts }: { counts: ApiCount[] | null }) {
  const totals = areas.map((area) => (counts ?? []).reduce((sum, count) => sum + count[area.field], 0));
  const all = totals.reduce((sum, total) => sum + total, 0);
  return (
    <Figures
      figures={areas.map((area, index) => ({
        name: area.name,
        value: counts && formatCount(totals[index] ?? 0),
        note: `requests, ${formatShare(totals[index] ?? 0, all)}`,
        tone: area.tone,
      }))}
    />
  );
}
