import { Empty } from '../ui/states';
import { Link } from './Link';
import { pageNames, paths } from './routes';
import { useTitle } from './useTitle';

/** In place of Explore, for a token that may not run SQL over the tables. */
export function NoExplore({ token }: { token: string }) {
  useTitle(pageNames.explore);
  return (
    <Empty title="This token may not explore the tables" level={1}>
      <p>
        Ask your operator for a token with <code>explore: true</code>
        {token === '' ? '' : ', or to add it to the token '}
        {token === '' ? null : <code>{token}</code>}. Until then, you can run the saved queries.
      </p>
      <p>
        <Link href={paths.endpoints} className="button">
          Go to {pageNames.endpoints}
        </Link>
      </p>
    </Empty>
  );
}
