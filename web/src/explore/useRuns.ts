import { useEffect, useRef, useState } from 'react';
import type { Client } from '../api/client';
import { Failure, isAbort, toFailure } from '../api/failure';
import { useServices } from '../app/context';
import { useViewer, type Viewer } from '../app/viewer';
import type { Rows } from '../result/rows';
import { duckDB } from './dialect';
import { fieldsOf, missingIn } from './fields';
import { keepPastRun } from './history';
import { check, type Query, run } from './run';

/** How a run ended without rows, with what was sent. */
export type Failed = { sent: Query } & ({ failure: Failure } | { missing: string[] });

/** The runs of a tab. */
export interface RunState {
  /** Of the last run that succeeded. */
  rows: { sent: Query; result: Rows } | null;
  /** How the last run failed; null if it did not. */
  failed: Failed | null;
  /** The run in progress. */
  running: { controller: AbortController; since: number } | null;
  /** What else there is to say. */
  notice: string;
}

export const noRun: RunState = { rows: null, failed: null, running: null, notice: '' };

/**
 * The required parameters without a value. The browser's console has a line for each response that is an error, so a
 * mistake is found by a check, and thrown as a Failure. The server names the first parameter without a value; the page
 * marks all of them.
 */
async function missingFor(client: Client, query: Query, viewer: Viewer, signal: AbortSignal): Promise<string[]> {
  const isIncomplete = missingIn(fieldsOf(query, []), query.args, viewer).length > 0;
  // DuckDB's dialect compiles in a process of its own, which takes a while.
  if (query.dialect === duckDB && !isIncomplete) return [];
  const { parameters, mistake } = await check(client, query, signal);
  if (mistake !== undefined) throw new Failure({ code: 'INVALID_ARGUMENT', ...mistake });
  return missingIn(fieldsOf(query, parameters), query.args, viewer);
}

/** Runs the SQL of tabs, each at most once at a time. Rows stay until the next ones. */
export function useRuns() {
  const { client, store } = useServices();
  const viewer = useViewer();
  const [states, setStates] = useState<{ readonly [tab: number]: RunState }>({});
  const [ended, setEnded] = useState(0);
  const latest = useRef(states);
  const change = (tab: number, part: Partial<RunState>): void => {
    // A tab that was closed has no more runs.
    if (part.running !== undefined && part.running === null && latest.current[tab] === undefined) return;
    latest.current = { ...latest.current, [tab]: { ...(latest.current[tab] ?? noRun), ...part } };
    setStates(latest.current);
  };
  useEffect(
    () => () => {
      for (const { running } of Object.values(latest.current)) running?.controller.abort();
    },
    [],
  );
  const of = (tab: number): RunState => states[tab] ?? noRun;
  const start = async (tab: number, query: Query): Promise<void> => {
    if (latest.current[tab]?.running) return;
    const controller = new AbortController();
    const since = performance.now();
    change(tab, { running: { controller, since }, notice: '' });
    const keep = (rows: number | null): void => {
      const { dialect, sql, args } = query;
      const milliseconds = Math.round(performance.now() - since);
      setEnded((before) => before + 1);
      keepPastRun(store, { dialect: dialect.name, sql, args, at: new Date().toISOString(), rows, milliseconds });
    };
    try {
      const missing = await missingFor(client, query, viewer, controller.signal);
      if (missing.length > 0) {
        change(tab, { failed: { sent: query, missing }, running: null });
        return;
      }
      const result = await run(client, query, controller.signal);
      keep(result.rows.length);
      change(tab, { rows: { sent: query, result }, failed: null, running: null });
    } catch (thrown) {
      if (isAbort(thrown)) {
        change(tab, { running: null, notice: 'Cancelled.' });
        return;
      }
      keep(null);
      change(tab, { failed: { sent: query, failure: toFailure(thrown) }, running: null });
    }
  };
  return {
    of,
    start,
    cancel: (tab: number) => latest.current[tab]?.running?.controller.abort(),
    say: (tab: number, notice: string) => change(tab, { notice }),
    forget: (tab: number) => {
      latest.current[tab]?.running?.controller.abort();
      const { [tab]: _, ...others } = latest.current;
      latest.current = others;
      setStates(others);
    },
    /** Counts the runs that have ended. */
    ended,
    /** The tabs whose SQL is running. */
    running: new Set(Object.entries(states).flatMap(([tab, { running }]) => (running === null ? [] : [Number(tab)]))),
  };
}
