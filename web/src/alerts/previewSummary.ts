import { formatDuration } from '../time/format';
import { second } from '../time/units';
import { formatCountOf } from '../ui/numbers';
import type { Draft, Preview } from './declaration';

/** What a preview says, in words. */
export function summaryOf({ points, stepSeconds, partial }: Preview, { needed, every }: Draft): string {
  const met = points.filter(({ outcome }) => outcome === 'met').length;
  const firing = points.filter((point) => point.firing).length;
  const checks = formatCountOf(points.length, 'check', 'checks');
  const rule =
    Number(needed) > 1 && met > 0
      ? ` At ${firing} of them it would fire: ${needed} checks in a row, every ${every.trim()}, were met.`
      : '';
  const cut = partial ? ' The time was over before the oldest checks.' : '';
  return `The condition was met at ${met} of ${checks}, one every ${formatDuration(stepSeconds * second)}.${rule}${cut}`;
}
