import { Link } from '../app/Link';
import type { Arguments } from '../endpoints/rest';
import { writeAlerts } from './address';

/** Opens the form of a new alert on a saved query, with the parameters of a result; nothing without a saved query. */
export function AlertLink({ query, args }: { query: string; args: Arguments }) {
  if (query === '') return null;
  return (
    <Link className="button" href={writeAlerts({ form: 'new', query, args })}>
      Alert on this
    </Link>
  );
}
