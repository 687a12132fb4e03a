import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { RequestOptions } from '../api/client';
import { type Failure, toFailure } from '../api/failure';
import type { Pace } from '../api/freshness';
import { useAccess, useServices } from './context';

/** The state of a request: loading, loaded, failed, or loaded with a failed refresh. */
export interface Loading<Data> {
  data: Data | null;
  /** Whether the data belongs to the previous request, which stays until this one has its own. */
  previous: boolean;
  /** Why the latest attempt failed; data beside it is of an earlier one. */
  failure: Failure | null;
  busy: boolean;
  /** When the data is refreshed if the page is live; null for never. */
  next: Pace | null;
  /** Requests again, by default from the cache. */
  refresh: (bypassCache?: boolean) => Promise<void>;
  /** Changes the data without a request. */
  update: (change: (data: Data) => Data) => void;
}

/** What is requested, and how often. */
export interface Source<Data> {
  /** Identifies the request: another key is another request. */
  key: string;
  /** Whether there is anything to request yet. */
  enabled?: boolean;
  /** Requests the data; a refresh gets the earlier data. */
  load: (options: RequestOptions, earlier: Data | undefined) => Promise<Data>;
  /** When the data may have changed, and whether to bypass the cache then; null for never. */
  next?: (data: Data) => Pace | null;
  /** Whether to refresh as long as the page is visible. */
  live?: boolean;
}

/** After a failure, the next attempt waits this long. */
const afterFailure: Pace = { seconds: 15, bypass: false };
const never = (): null => null;

/** Requests data, and refreshes it when it may have changed. */
export function useResponse<Data>({
  key,
  enabled = true,
  load,
  next = never,
  live = false,
}: Source<Data>): Loading<Data> {
  const { queries } = useServices();
  // What one token can see must not be shown to the next.
  const { generation } = useAccess();
  const queryKey = [generation, key];
  const bypass = useRef(false);
  const intervalOf = (data: Data | undefined): number | undefined => {
    const pace = data === undefined ? null : next(data);
    return live && pace !== null ? pace.seconds * 1000 : undefined;
  };
  const query = useQuery<Data>(
    {
      queryKey,
      enabled,
      queryFn: ({ signal }) => {
        const earlier = queries.getQueryData<Data>(queryKey);
        const bypassCache = bypass.current || (earlier !== undefined && next(earlier)?.bypass === true);
        bypass.current = false;
        return load({ signal, bypassCache }, earlier);
      },
      placeholderData: (earlier, from) =>
        enabled && from?.queryKey[0] === generation ? (earlier as never) : undefined,
      refetchInterval: ({ state }) =>
        live && state.error !== null ? afterFailure.seconds * 1000 : (intervalOf(state.data) ?? false),
      // A hidden page requests nothing, and catches up when it is visible.
      refetchOnWindowFocus: live,
      staleTime: ({ state }) => intervalOf(state.data) ?? Number.POSITIVE_INFINITY,
      // The interval repeats failed requests.
      retry: false,
      // The server has a cache of its own.
      gcTime: 0,
      // A server on this machine can be reached offline.
      networkMode: 'always',
    },
    queries,
  );
  const failure = useLatestFailure(`${generation} ${key}`, query);
  const own = query.isPlaceholderData ? null : (query.data ?? null);
  const earlier = useEarlier(generation, own);
  // A mistake in a field leaves the rows that are there; another failure replaces them.
  const keeps = failure === null ? query.isPlaceholderData : failure.details.argument !== undefined;
  const previous = own === null && keeps && earlier !== null;
  const data = own ?? (previous ? earlier : null);
  return {
    data,
    previous,
    failure,
    busy: query.isFetching,
    next: failure !== null ? afterFailure : data === null ? null : next(data),
    refresh: async (bypassCache = false) => {
      bypass.current = bypassCache;
      await queries.cancelQueries({ queryKey });
      await query.refetch();
    },
    update: (change) => queries.setQueryData<Data>(queryKey, (data) => (data === undefined ? data : change(data))),
  };
}

/** The latest data of a session; null if there is none yet. */
function useEarlier<Data>(generation: number, data: Data | null): Data | null {
  const [kept, setKept] = useState({ generation, data });
  const latest = kept.generation === generation && data === null ? kept.data : data;
  if (kept.generation !== generation || kept.data !== latest) setKept({ generation, data: latest });
  return latest;
}

/** The failure of the latest attempt, which stays until the next attempt has ended. */
function useLatestFailure(key: string, query: { error: Error | null; isFetching: boolean }): Failure | null {
  const [kept, setKept] = useState<{ key: string; error: Error | null }>({ key, error: null });
  const earlier = query.isFetching && kept.key === key ? kept.error : null;
  const error = query.error ?? earlier;
  if (kept.key !== key || kept.error !== error) setKept({ key, error });
  return error === null ? null : toFailure(error);
}

/** The time by this machine's clock, updated at an interval. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
