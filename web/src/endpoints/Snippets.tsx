import { useAccess } from '../app/context';
import { graphiqlPath } from '../app/routes';
import { CopyButton } from '../ui/CopyButton';
import { withExamples } from './example';
import type { Arguments, Endpoint } from './rest';
import { Code } from './Sql';
import { apolloSnippet, duckdbSnippet, pythonSnippet, urqlSnippet } from './snippets/clients';
import { tokeniseCode } from './snippets/colours';
import { curlSnippet } from './snippets/curl';
import { goSnippet } from './snippets/go';
import { graphqlSnippet } from './snippets/graphql';
import { typescriptSnippet } from './snippets/typescript';
import { Tabs } from './Tabs';

const snippets = [
  { name: 'fetch', of: typescriptSnippet },
  { name: 'urql', of: urqlSnippet },
  { name: 'Apollo', of: apolloSnippet },
  { name: 'Go', of: goSnippet },
  { name: 'Python', of: pythonSnippet },
  { name: 'DuckDB', of: duckdbSnippet },
];

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
        ...snippets.map(({ name, of }) => ({ name, content: <Snippet text={of(server, endpoint, complete)} /> })),
      ]}
    />
  );
}

function Snippet({ text, children }: { text: string; children?: React.ReactNode }) {
  return (
    <>
      <Code tokens={tokeniseCode(text)} />
      <div className="buttons row">
        <CopyButton label="Copy" text={() => text} />
        {children}
      </div>
    </>
  );
}
