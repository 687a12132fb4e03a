import { projectTiers } from '../app/routes';
import { formatInstant, type Zone } from '../time/format';
import { parseTime } from '../time/iso';
import { day } from '../time/units';
import type { LogsQueryVariables } from './gql/graphql';

/** Describes the time range of the entries, and whether the tier limits it. */
export function describeRange(
  variables: LogsQueryVariables,
  asOf: Date,
  zone: Zone,
): { text: string; limited: boolean } {
  const { days = 1, label = '' } = projectTiers.find(({ value }) => value === variables.tier) ?? {};
  const keptSince = new Date(asOf.getTime() - days * day);
  const start = parseTime(variables.start ?? '');
  const end = parseTime(variables.end ?? '');
  // A bound is the microsecond before a step.
  const at = (time: Date): string => formatInstant(new Date(time.getTime() + 1), 0, zone);
  const cut = start === null || start < keptSince;
  const tier = `The ${label.replace(' ·', ' tier keeps')}`;
  if (end !== null && end <= keptSince) {
    return { text: `${tier}: logs before ${at(keptSince)} are not available.`, limited: true };
  }
  const until = end === null ? '' : ` until ${at(end)}`;
  const text = `${cut ? `${tier}: showing` : 'Showing'} logs since ${at(cut ? keptSince : start)}${until}.`;
  return { text, limited: cut };
}
