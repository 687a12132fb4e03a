import { type Arguments, type Endpoint, restPath, sentArguments } from '../rest';
import { continued, curlSnippet } from './curl';
import { graphqlSnippet } from './graphql';
import type { Server } from './server';

// biome-ignore lint/suspicious/noTemplateCurlyInString: the snippet has the template.
const bearer = '`Bearer ${process.env.SAVEDQ_TOKEN}`';

/** TypeScript code that runs a query with urql. */
export function urqlSnippet(server: Server, endpoint: Endpoint, args: Arguments): string {
  return [
    "import { cacheExchange, Client, fetchExchange, gql } from '@urql/core';",
    '',
    'const client = new Client({',
    `  url: ${JSON.stringify(graphqlUrl(server))},`,
    '  exchanges: [cacheExchange, fetchExchange],',
    '  preferGetMethod: false,',
    ...(server.authenticated ? [`  fetchOptions: { headers: { Authorization: ${bearer} } },`] : []),
    '});',
    '',
    ...documentOf(endpoint, args),
    '',
    'const { data, error } = await client.query(query, {}).toPromise();',
    'if (error) throw error;',
    `console.log(data.${endpoint.field});`,
  ].join('\n');
}

/** TypeScript code that runs a query with Apollo Client. */
export function apolloSnippet(server: Server, endpoint: Endpoint, args: Arguments): string {
  const headers = server.authenticated ? `, headers: { Authorization: ${bearer} }` : '';
  return [
    "import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';",
    '',
    'const client = new ApolloClient({',
    `  link: new HttpLink({ uri: ${JSON.stringify(graphqlUrl(server))}${headers} }),`,
    '  cache: new InMemoryCache(),',
    '});',
    '',
    ...documentOf(endpoint, args),
    '',
    'const { data } = await client.query({ query });',
    `console.log(data.${endpoint.field});`,
  ].join('\n');
}

/** Python code that calls REST with its standard library. */
export function pythonSnippet(server: Server, endpoint: Endpoint, args: Arguments): string {
  const sent = sentArguments(endpoint, args);
  const url = JSON.stringify(server.origin + restPath(endpoint, {}));
  return [
    'import json',
    ...(server.authenticated ? ['import os'] : []),
    'import urllib.parse',
    'import urllib.request',
    '',
    'params = [',
    ...sent.map(([name, value]) => `    (${JSON.stringify(name)}, ${JSON.stringify(value)}),`),
    ']',
    `request = urllib.request.Request(${url} + "?" + urllib.parse.urlencode(params))`,
    ...(server.authenticated ? ['request.add_header("Authorization", "Bearer " + os.environ["SAVEDQ_TOKEN"])'] : []),
    'with urllib.request.urlopen(request) as response:',
    '    rows = json.load(response)["result"]',
    'for row in rows:',
    '    print(row)',
  ].join('\n');
}

/** A command for a shell that reads the rows of REST as a table of DuckDB. */
export function duckdbSnippet(server: Server, endpoint: Endpoint, args: Arguments): string {
  const [first = '', ...others] = curlSnippet(server, endpoint, args).split(continued);
  const call = [first.replace('curl', 'curl --silent --fail-with-body'), "-H 'Accept: text/csv'", ...others];
  return `${call.join(continued)} |\n  duckdb -c "FROM read_csv('/dev/stdin')"`;
}

/** A document as a template of TypeScript. */
function documentOf(endpoint: Endpoint, args: Arguments): string[] {
  const text = graphqlSnippet(endpoint, args).replaceAll(/[\\`]|\$\{/g, '\\$&');
  return [`const query = gql\`${text}\`;`];
}

function graphqlUrl({ origin }: Server): string {
  return `${origin}/graphql`;
}
