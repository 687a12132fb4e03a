import { lazy } from 'react';
import type { SeriesTable } from './SeriesTable';

/** A SeriesTable, whose code is loaded when it is first shown. React's own type of it is not generic. */
export const LazySeriesTable = lazy(async () => ({
  default: (await import('./SeriesTable')).SeriesTable,
})) as unknown as typeof SeriesTable;
