import { Empty } from '../ui/states';
import { Link } from './Link';
import { type Page, pageNames, paths } from './routes';
import { useTitle } from './useTitle';

/** What a page needs, which a token can lack. */
const rights = {
  explore: { may: 'explore the tables', key: 'explore' },
  tokens: { may: 'manage tokens', key: 'manage_tokens' },
};

/** In place of a page, for a token that lacks the right that it needs. */
export function NotAllowed({ page, token }: { page: Page; token: string }) {
  useTitle(pageNames[page]);
  const { may, key } = rights[page as keyof typeof rights];
  return (
    <Empty title={`This token may not ${may}`} level={1}>
      <p>
        Ask your operator for a token with <code>{key}: true</code>
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
