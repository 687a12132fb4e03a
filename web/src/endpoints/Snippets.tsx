import { useAccess } from '../app/context';
import { graphiqlPath } from '../app/routes';
import { CopyButton } from '../ui/CopyButton';
import { withExamples } from './example';
import type { Arguments, Endpoint } from './rest';
import { curlSnippet } from './snippets/curl';
import { goSnippet } from './snippets/go';
import { graphqlSnippet } from './snippets/graphql';
import { typescriptSnippet } from './snippets/typescript';
import { Tabs } from './Tabs';

/** The same call in several languages, with the arguments of the form. */
export function Snippets({ endpoint, args }: { endpoint: Endpoint; args: Arguments }) {
  const { token } = useAccess();
  const server = { origin: window.location.origin, authenticated: token !== null };
  const complete = withExamples(endpoint, args);
  const graphql = graphqlSnippet(endpoint, complete);
  return (
    <Tabs
      label="Language"
      tabs={[
        { name: 'curl', content: <Snippet text={curlSnippet(server, endpoint, complete)} /> },
        {
          name: 'GraphQL',
          content: (
            <Snippet text={graphql}>
              <a className="button" href={`${graphiqlPath}?${new URLSearchParams({ query: graphql })}`}>
                Open in GraphiQL
              </a>
            </Snippet>
          ),
        },
        { name: 'TypeScript', content: <Snippet text={typescriptSnippet(server, endpoint, complete)} /> },
        { name: 'Go', content: <Snippet text={goSnippet(server, endpoint, complete)} /> },
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
