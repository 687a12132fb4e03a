import './logs.css';
import { lazy, Suspense } from 'react';
import type { LogsState } from '../app/routes';
import { mayRun, useViewer } from '../app/viewer';
import { Skeleton } from '../ui/states';

const LiveTail = lazy(() => import('./LiveTail'));
const StoredLogs = lazy(() => import('./StoredLogs'));
const SearchLogs = lazy(() => import('./SearchLogs'));

/** Log entries of a project, or the events of all projects as they arrive. */
export function LogsPage({ state }: { state: LogsState }) {
  const searches = mayRun(useViewer(), 'logs.search');
  const Page = searches ? SearchLogs : StoredLogs;
  return (
    <>
      <button
        type="button"
        className="skip button button-main"
        onClick={() => document.querySelector<HTMLElement>('.log-row[tabindex="0"]')?.focus()}
      >
        Skip to entries
      </button>
      <Suspense fallback={<Skeleton label="Loading" height="rows" />}>
        {state.live ? <LiveTail state={state} /> : <Page state={state} />}
      </Suspense>
    </>
  );
}
