import { Empty } from '../ui/states';

/** Says that there are no saved queries, or none with a name. */
export function NoEndpoint({ name }: { name: string | null }) {
  return (
    <div className="panel box">
      {name === null ? (
        <Empty title="No saved queries">
          <p>
            This server has none, or your token may not see any. Saved queries are folders; point the server to yours
            with <code>savedq serve --queries DIR</code>.
          </p>
        </Empty>
      ) : (
        <Empty title="No such saved query">
          <p>
            This server has no saved query <code>{name}</code>. Choose one from the list.
          </p>
        </Empty>
      )}
    </div>
  );
}
