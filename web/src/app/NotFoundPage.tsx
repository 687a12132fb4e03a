import { Empty } from '../ui/states';
import { Link } from './Link';
import { paths } from './routes';
import { useTitle } from './useTitle';

/** The page for unknown paths. */
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
