import { useLiking } from '../app/preferences';
import type { LogsQueryVariables } from './gql/graphql';
import { describeRange } from './retention';

/** The time range of the entries. A narrow window shows it only if the tier limits it. */
export function RangeText({ variables, asOf }: { variables: LogsQueryVariables; asOf: string }) {
  const { zone } = useLiking();
  const { text, limited } = describeRange(variables, new Date(asOf), zone);
  return <span data-limited={limited}>{text}</span>;
}
