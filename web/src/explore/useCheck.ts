import { useEffect, useRef, useState } from 'react';
import { useServices } from '../app/context';
import { check, type Found, type Mistake, type Query } from './run';

/** How long the SQL stays the same before the server compiles it, in milliseconds. */
const pause = 400;

/** What is known about the SQL that is being typed. */
export interface Knowledge {
  /** The parameters; while the SQL has a mistake, the last ones that were found. */
  found: readonly Found[];
  /** The mistake of the SQL as it is now; null if there is none, or it is not known yet. */
  mistake: Mistake | null;
  /** How much a run of the SQL as it is now reads at most; null if it is not known. */
  bytes: number | null;
}

/** Lets the server compile SQL as it is typed. The first time is at once. */
export function useCheck(query: Query): Knowledge {
  const { client } = useServices();
  const { sql, dialect } = query;
  const [known, setKnown] = useState<Knowledge & { sql: string }>({ found: [], mistake: null, bytes: null, sql: '' });
  const isFirst = useRef(true);
  const latest = useRef(query.args);
  latest.current = query.args;
  useEffect(() => {
    if (sql.trim() === '') return;
    const controller = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const checked = await check(client, { dialect, sql, args: latest.current }, controller.signal);
        const { parameters, mistake = null, bytes = null } = checked;
        setKnown((before) => ({ sql, mistake, bytes, found: mistake === null ? parameters : before.found }));
      } catch {
        // The run says what is wrong with the server.
      }
    };
    const timer = setTimeout(() => void ask(), isFirst.current ? 0 : pause);
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, dialect, sql]);
  const isNow = known.sql === sql;
  return { found: known.found, mistake: isNow ? known.mistake : null, bytes: isNow ? known.bytes : null };
}
