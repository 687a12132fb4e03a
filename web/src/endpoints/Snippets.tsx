import { useAccess } from '../app/context';
import { graphiqlPath } from '../app/routes';
import { CopyButton } from '../ui/CopyButton';
import type { Arguments, Endpoint } from './rest';
import { curlSnippet, graphqlSnippet, typescriptSnippet } from './snippets';
import { Tabs } from './Tabs';

/** The same call in several languages, with the arguments of the form. */
export function Snippets({ endpoint, args }: { endpoint: Endpoint; args: Arguments }) {
  const { token } = useAccess();
  const server = { origin: window.location.origin, authenticated: token !== null };
  const graphql = graphqlSnippet(endpoint, args);
  return (
    <Tabs
      label="Language"
      tabs={[
        { name: 'curl', content: <Snippet text={curlSnippet(server, endpoint, args)} /> },
        {
          name: 'GraphQL',
          content:
            graphql === null ? (
              <p className="muted">
                This saved query has a GraphQL field. <a href={graphiqlPath}>GraphiQL</a> shows its name and arguments.
              </p>
            ) : (
              <Snippet text={graphql}>
                <a className="button" href={`/graphiql?${new URLSearchParams({ query: graphql })}`}>
                  Open in GraphiQL
                </a>
              </Snippet>
            ),
        },
        { name: 'TypeScript', content: <Snippet text={typescriptSnippet(server, endpoint, args)} /> },
      ]}
    />
  );
}

function Snippet({ text, children }: { text: string; children?: React.ReactNode }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll. */}
      <pre className="code frame" tabIndex={0}>
        <code>{text}</code>
      </pre>
      <div className="buttons row">
        <CopyButton label="Copy" text={() => text} />
        {children}
      </div>
    </>
  );
}
