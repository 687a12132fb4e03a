import { argv, env } from 'node:process';
import { gql } from '@apollo/client';
import { newApolloClient } from './apollo.js';
import { InvocationsDocument, type InvocationsQuery } from './gql/graphql.js';
import { newUrqlClient } from './urql.js';

const variables = { project: argv[2] ?? 'default' };
const [url, token] = [env.SAVEDQ_URL ?? 'http://127.0.0.1:8080', env.SAVEDQ_TOKEN ?? ''];
const apollo = newApolloClient(url, token);
const urql = newUrqlClient(url, token);

print('Apollo Client', await apollo.query({ query: InvocationsDocument, variables }));
print('urql', await urql.query(InvocationsDocument, variables));

const other = gql`{ endpoints { name } }`;
print('Apollo Client, another document', await apollo.query<InvocationsQuery>({ query: other, errorPolicy: 'all' }));
print('urql, another document', await urql.query<InvocationsQuery>(other, {}));

/** Prints the invocations of all days, or why there are none. */
function print(client: string, { data, error }: { data?: InvocationsQuery | undefined; error?: Error | undefined }): void {
  const count = data?.invocationStats.reduce((sum, day) => sum + day.count, 0);
  console.log(`${client}: ${error?.message ?? `${count} invocations in ${data?.invocationStats.length} days`}`);
}
