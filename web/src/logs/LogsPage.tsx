import './logs.css';
import { lazy, Suspense } from 'react';
import type { PageProps } from '../app/pages';
import { mayRun, useViewer, usualTier } from '../app/viewer';
import { Skeleton } from '../ui/states';
import { readLogs } from './address';

const LiveTail = lazy(() => import('./LiveTail'));
const StoredLogs = lazy(() => import('./StoredLogs'));
const SearchLogs = lazy(() => import('./SearchLogs'));
const UnreadableRange = lazy(() => import('./UnreadableRange'));

/** Log entries of a project, or the events of all projects as they arrive. */
export function LogsPage({ params, project }: PageProps) {
  const viewer = useViewer();
  const state = readLogs(params, project, usualTier(viewer));
  const searches = mayRun(viewer, 'logs.search');
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
        {state.live ? (
          <LiveTail state={state} />
        ) : state.rangeProblem === null ? (
          <Page state={state} />
        ) : (
          <UnreadableRange state={state} problem={state.rangeProblem} />
        )}
      </Suspense>
    </>
  );
}
