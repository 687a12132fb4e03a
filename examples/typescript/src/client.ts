import type { TypedDocumentString } from './gql/graphql.js';

/** Answer of the server: data, or errors, or the one beside the other. */
interface Answer<Result> {
  data?: Result | null;
  errors?: { message: string }[];
}

/** Returns a function that asks the server, with the types of what it is asked. */
export function newClient(url: string, token: string) {
  return async function ask<Result, Variables>(document: TypedDocumentString<Result, Variables>, variables: Variables): Promise<Result> {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-KEY': token },
      body: JSON.stringify({ query: document.toString(), variables }),
    });
    const answer = (await response.json()) as Answer<Result>;
    if (answer.errors || !answer.data) {
      throw new Error(answer.errors?.map((error) => error.message).join('; ') ?? `the server answered ${response.status}`);
    }
    return answer.data;
  };
}
