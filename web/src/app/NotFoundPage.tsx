import { Empty } from '../ui/states';
import { Link } from './Link';
import { paths } from './routes';
import { useTitle } from './useTitle';

/** What is shown at a path at which there is no page. */
export function NotFoundPage({ path }: { path: string }) {
  useTitle('Page not found');
  return (
    <Empty title="Page not found" level={1}>
      <p>
        There is no page at <code>{path}</code>.
      </p>
      <p>
        <Link href={paths.functions} className="button">
          Go to Functions
        </Link>
      </p>
    </Empty>
  );
}
