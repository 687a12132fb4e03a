import '../endpoints/endpoints.css';
import './explore.css';
import type { PageProps } from '../app/pages';
import { useTitle } from '../app/useTitle';
import { readExplore } from '../endpoints/address';
import { PageHead } from '../ui/PageHead';
import { FailurePanel, Skeleton } from '../ui/states';
import { googleSQL } from './dialect';
import { useSchema } from './schema';
import { Workbench } from './Workbench';

/** An editor of SQL over the tables, with its result. */
export function ExplorePage({ params, project }: PageProps) {
  useTitle('Explore');
  const { data, failure, busy, refresh } = useSchema(googleSQL);
  if (data !== null) return <Workbench state={readExplore(params, project)} schema={data} />;
  return (
    <>
      <PageHead title="Explore" />
      {failure !== null ? (
        <FailurePanel failure={failure} busy={busy} onRetry={() => void refresh()} />
      ) : (
        <div className="panel box">
          <Skeleton label="Loading the tables" height="rows" />
        </div>
      )}
    </>
  );
}
