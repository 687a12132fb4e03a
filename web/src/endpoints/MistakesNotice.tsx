import './mistakes.css';
import { WarningIcon } from '../ui/icons';
import { formatCountOf } from '../ui/numbers';
import type { CatalogQuery } from './gql/graphql';

type Catalog = CatalogQuery['catalog'];

/** The mistakes in the folders of saved queries, because of which an earlier version stays in use. */
export function MistakesNotice({ catalog }: { catalog: Catalog | null }) {
  const mistakes = catalog?.mistakes ?? [];
  return (
    <div role="status">
      {mistakes.length === 0 ? null : (
        <section className="danger notice stack" aria-label="Mistakes in saved queries">
          <div className="row">
            <h2 className="row">
              <WarningIcon /> {formatCountOf(mistakes.length, 'mistake', 'mistakes')} in the saved queries
            </h2>
            <span className="small">The last version without mistakes stays in use.</span>
          </div>
          <ul className="mistakes medium">
            {mistakes.map((mistake) => (
              <li key={placeOf(mistake) + mistake.message} className="wrap">
                <code>{placeOf(mistake)}</code> {mistake.message}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** Such as "queries/mine/query.yaml:3:7". */
function placeOf({ file, line, column }: Catalog['mistakes'][number]): string {
  return [file, line, column].filter((part) => part !== null).join(':');
}
