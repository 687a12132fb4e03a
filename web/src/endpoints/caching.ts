import { formatDuration } from '../time/format';
import type { Endpoint } from './rest';

/** How long rows are cached, in words. */
export function cachingOf({ cacheSeconds, warmSeconds }: Endpoint): string {
  if (cacheSeconds === null) return 'off';
  const cached = formatDuration(cacheSeconds * 1000);
  return warmSeconds === null
    ? cached
    : `${cached}, refreshed every ${formatDuration(warmSeconds * 1000)} while in use`;
}
