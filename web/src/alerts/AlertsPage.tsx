import './alerts.css';
import { lazy, Suspense } from 'react';
import { useServices } from '../app/context';
import { Link } from '../app/Link';
import type { PageProps } from '../app/pages';
import { useLiking } from '../app/preferences';
import { pageNames, paths } from '../app/routes';
import { type Loading, useResponse } from '../app/useResponse';
import { useTitle } from '../app/useTitle';
import { FreshnessBar } from '../ui/FreshnessBar';
import { Notices } from '../ui/Notices';
import { PageHead } from '../ui/PageHead';
import { Empty, FailurePanel, Skeleton } from '../ui/states';
import { AlertItem } from './AlertItem';
import { type AlertsState, readAlerts, writeAlerts } from './address';
import { type Alert, type Alerts, loadAlerts, summaryOf } from './alerts';
import { conditionOf } from './declaration';

const AlertForm = lazy(() => import('./AlertForm'));

/** How often the page looks for changes. */
const pace = { seconds: 10, bypass: false };

/** How often and how many times the page looks whether the server has read a changed folder. */
const pause = 500;
const most = 30;

/** The alerts of saved queries and their states, most urgent first; or the form of one. */
export function AlertsPage({ params, project }: PageProps) {
  const { client } = useServices();
  const { live } = useLiking();
  const state = readAlerts(params);
  const loading = useResponse({
    key: 'alerts',
    load: (options) => loadAlerts(client, options),
    next: () => pace,
    live,
  });
  // The server reads changed files a moment later.
  const settle = async (isThere: (alerts: readonly Alert[]) => boolean): Promise<void> => {
    for (let tries = 0; tries < most && !isThere((await loadAlerts(client, {})).alerts); tries++) {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    await loading.refresh();
  };
  const { data, failure, busy } = loading;
  const view = { state, project, loading, settle };
  useTitle(titleOf(state, data));
  return (
    <>
      <PageHead title={headings[state.form ?? 'list']}>
        {state.form === null ? (
          <>
            <Link className="button" href={writeAlerts({ form: 'new' })}>
              New alert
            </Link>
            <FreshnessBar loading={loading} pace={pace} />
          </>
        ) : null}
      </PageHead>
      {failure !== null && data === null ? (
        <FailurePanel failure={failure} busy={busy} onRetry={() => void loading.refresh()} />
      ) : data === null ? (
        <div className="box panel">
          <Skeleton label="Loading the alerts" height="rows" />
        </div>
      ) : state.form === null ? (
        <AlertList {...view} data={data} />
      ) : (
        <FormView {...view} data={data} />
      )}
    </>
  );
}

const headings = { list: pageNames.alerts, new: 'New alert', edit: 'Edit alert' };

function titleOf({ form }: AlertsState, data: Alerts | null): string {
  const summary = data === null || form !== null ? '' : summaryOf(data.alerts);
  return `${summary === '' ? '' : `${summary} · `}${headings[form ?? 'list']}`;
}

interface ViewProps {
  state: AlertsState;
  data: Alerts;
  project: string;
  loading: Loading<Alerts>;
  /** Requests the alerts until they are as expected. */
  settle: (isThere: (alerts: readonly Alert[]) => boolean) => Promise<void>;
}

const sameAs =
  (one: { query: string; name: string }) =>
  ({ query, name }: Alert): boolean =>
    query === one.query && name === one.name;

function AlertList({ state, data, project, loading, settle }: ViewProps) {
  return (
    <>
      <Notices loading={loading} problemAtField={false} />
      {data.alerts.length === 0 ? null : (
        <p className="caption muted small" role="status">
          {summaryOf(data.alerts)}
        </p>
      )}
      <div className="box alerts">
        {data.alerts.length === 0 ? <NoAlerts /> : null}
        {data.alerts.map((alert) => (
          <AlertItem
            key={`${alert.query} ${alert.name}`}
            alert={alert}
            project={project}
            named={sameAs(state)(alert)}
            manages={data.manages}
            saves={data.saves}
            onChanged={() => loading.refresh()}
            onDeleted={() => settle((alerts) => !alerts.some(sameAs(alert)))}
          />
        ))}
      </div>
    </>
  );
}

function FormView({ state, data, project, settle }: ViewProps) {
  const edited = state.form === 'edit' ? data.alerts.find(sameAs(state)) : undefined;
  if (state.form === 'edit' && edited === undefined) {
    return (
      <Empty title="No such alert">
        <p>
          <Link href={writeAlerts({})}>Show all alerts</Link>
        </p>
      </Empty>
    );
  }
  return (
    <Suspense fallback={<Skeleton label="Loading the form" height="rows" />}>
      <AlertForm
        key={`${state.form} ${state.query} ${state.name}`}
        alert={edited ?? null}
        begin={{ query: state.query, args: state.args }}
        saves={data.saves}
        targets={data.targets}
        project={project}
        onSaved={(draft) =>
          settle((alerts) => alerts.some((one) => sameAs(draft)(one) && one.condition === conditionOf(draft)))
        }
      />
    </Suspense>
  );
}

/** What to do for a first alert. */
function NoAlerts() {
  return (
    <Empty title="No alerts">
      <p>
        An alert checks the rows of a saved query on a schedule, shows its state here, and notifies a webhook, Slack or
        Alertmanager when it begins and ends.
      </p>
      <p className="row alert-first">
        <Link className="button button-main" href={writeAlerts({ form: 'new' })}>
          New alert
        </Link>
        <Link className="button" href={paths.endpoints}>
          Choose a saved query
        </Link>
      </p>
      <p className="muted medium">
        An alert is a few lines in the <code>query.yaml</code> of its saved query, which <code>docs/alerts.md</code>{' '}
        describes.
      </p>
    </Empty>
  );
}
