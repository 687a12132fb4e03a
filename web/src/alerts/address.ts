import { address, paths } from '../app/routes';
import type { Arguments } from '../endpoints/rest';

/** What the page shows: the list, with an alert open, or the form. */
export interface AlertsState {
  /** The form, for a new alert or for one that exists; null for the list. */
  form: 'new' | 'edit' | null;
  query: string;
  name: string;
  /** Values of parameters that a new alert begins with. */
  args: Arguments;
}

const argumentPrefix = 'arg.';

/** Reads the state of the page from its query string. */
export function readAlerts(params: URLSearchParams): AlertsState {
  const form = params.get('form');
  const names = [...new Set(params.keys())].filter((key) => key.startsWith(argumentPrefix));
  return {
    form: form === 'new' || form === 'edit' ? form : null,
    query: params.get('query') ?? '',
    name: params.get('name') ?? '',
    args: Object.fromEntries(names.map((key) => [key.slice(argumentPrefix.length), params.getAll(key)])),
  };
}

/** Writes the address of the page. */
export function writeAlerts({ form, query, name, args }: Partial<AlertsState>): string {
  return address(
    paths.alerts,
    [
      ['form', form ?? ''],
      ['query', query ?? ''],
      ['name', name ?? ''],
    ],
    Object.entries(args ?? {}).flatMap(([parameter, values]) =>
      values.filter((value) => value !== '').map((value): [string, string] => [argumentPrefix + parameter, value]),
    ),
  );
}
