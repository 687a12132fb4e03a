import { type Pace, secondsUntilChange, uncachedPace } from '../api/freshness';
import type { LogsState } from '../app/routes';
import type { Loaded } from './loaded';
import { boundsOf, isOpen } from './range';

/** When entries may have changed; null if no others can arrive. */
export function nextOf(loaded: Loaded, state: LogsState): Pace | null {
  if (!isOpen(boundsOf(state, loaded.receivedAt), loaded.receivedAt)) return null;
  return { ...uncachedPace, seconds: secondsUntilChange(loaded.freshness, uncachedPace, false) };
}
