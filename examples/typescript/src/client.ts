import type { TypedDocumentString } from './gql/graphql.js';

/** A GraphQL response: data, errors, or both. */
interface GraphQLResponse<Result> {
  data?: Result | null;
  errors?: { message: string }[];
}

/** Returns a function that executes a typed document on the server. */
export function newClient(url: string, token: string) {
  return async function execute<Result, Variables>(
    document: TypedDocumentString<Result, Variables>,
    variables: Variables,
  ): Promise<Result> {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-KEY': token },
      body: JSON.stringify({ query: document.toString(), variables }),
    });
    const { data, errors } = (await response.json()) as GraphQLResponse<Result>;
    if (errors || !data) {
      throw new Error(errors?.map((error) => error.message).join('; ') ?? `the server sent status ${response.status} without data`);
    }
    return data;
  };
}
