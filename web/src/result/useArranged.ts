import { useCallback, useMemo, useRef } from 'react';
import { matching } from './filter';
import { ordered, type RowOrder } from './order';
import type { Roles } from './roles';
import { type Steps, useSteps } from './steps';
import { type Totals, totalsOf } from './totals';
import type { ResultColumn, Row } from './types';

/** The positions of the rows that match a filter, in an order. While they are computed, the earlier ones stay. */
export function useArranged(
  rows: readonly Row[],
  columns: readonly ResultColumn[],
  filter: string,
  order: RowOrder,
): { indexes: readonly number[]; busy: boolean } {
  // Another object can be the same order.
  const { column = null, descending = false } = order ?? {};
  const begin = useCallback(
    function* (): Steps<readonly number[]> {
      const found = yield* matching(rows, columns, filter);
      return yield* ordered(rows, found, column === null ? null : { column, descending });
    },
    [rows, columns, filter, column, descending],
  );
  const computed = useSteps(begin);
  const all = useMemo(() => rows.map((_, index) => index), [rows]);
  const last = useRef({ rows, indexes: all as readonly number[] });
  if (computed !== null) last.current = { rows, indexes: computed };
  const indexes = last.current.rows === rows ? last.current.indexes : all;
  return { indexes, busy: computed === null };
}

/** The totals of some rows; null unless they are wanted, and while they are computed. */
export function useTotals(
  wanted: boolean,
  rows: readonly Row[],
  indexes: readonly number[],
  columns: readonly ResultColumn[],
  roles: Roles,
): Totals | null {
  const begin = useCallback(
    function* (): Steps<Totals | null> {
      return wanted ? yield* totalsOf(rows, indexes, columns, roles) : null;
    },
    [wanted, rows, indexes, columns, roles],
  );
  return useSteps(begin);
}
