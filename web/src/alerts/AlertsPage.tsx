import './alerts.css';
import { useServices } from '../app/context';
import type { PageProps } from '../app/pages';
import { useLiking } from '../app/preferences';
import { pageNames } from '../app/routes';
import { useResponse } from '../app/useResponse';
import { useTitle } from '../app/useTitle';
import { FreshnessBar } from '../ui/FreshnessBar';
import { Notices } from '../ui/Notices';
import { PageHead } from '../ui/PageHead';
import { Empty, FailurePanel, Skeleton } from '../ui/states';
import { AlertItem } from './AlertItem';
import { loadAlerts, summaryOf } from './alerts';

/** How often the page looks for changes. */
const pace = { seconds: 10, bypass: false };

const example = `alerts:
  errors-high:
    title: Errors are high
    every: 1m
    params: {project: acme}
    when: {first: errors > 5}
    for: 2`;

/** The alerts of saved queries and their states, most urgent first. */
export function AlertsPage({ project }: PageProps) {
  const { client } = useServices();
  const { live } = useLiking();
  const loading = useResponse({
    key: 'alerts',
    load: (options) => loadAlerts(client, options),
    next: () => pace,
    live,
  });
  const { data, failure, busy } = loading;
  const summary = data === null ? '' : summaryOf(data.alerts);
  useTitle(`${summary === '' ? '' : `${summary} · `}${pageNames.alerts}`);
  return (
    <>
      <PageHead title={pageNames.alerts}>
        <FreshnessBar loading={loading} pace={pace} />
      </PageHead>
      {failure !== null && data === null ? (
        <FailurePanel failure={failure} busy={busy} onRetry={() => void loading.refresh()} />
      ) : (
        <>
          <Notices loading={loading} problemAtField={false} />
          {data?.alerts.length === 0 ? null : (
            <p className="caption muted small" role="status">
              {summary}
            </p>
          )}
          <div className={`box ${data === null ? 'panel' : 'alerts'}`}>
            {data === null ? (
              <Skeleton label="Loading the alerts" height="rows" />
            ) : data.alerts.length === 0 ? (
              <NoAlerts />
            ) : (
              data.alerts.map((alert) => (
                <AlertItem key={`${alert.query} ${alert.name}`} alert={alert} project={project} />
              ))
            )}
          </div>
        </>
      )}
    </>
  );
}

/** What to do for a first alert. */
function NoAlerts() {
  return (
    <Empty title="No alerts">
      <p>
        An alert checks the rows of a saved query on a schedule. Add the first one to the <code>query.yaml</code> of a
        saved query in a folder of <code>--queries</code>:
      </p>
      <pre className="frame alert-example">{example}</pre>
      <p>
        It fires after two checks with more than five errors, and shows its state here. To be notified, add{' '}
        <code>notify: [ops]</code>, and start the server with a file of targets in <code>--notify</code>. See{' '}
        <code>docs/alerts.md</code>.
      </p>
    </Empty>
  );
}
