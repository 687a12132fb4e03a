import { authExchange } from '@urql/exchange-auth'
import { Client, fetchExchange } from 'urql'

/** What the backend of the app tells the page. */
interface Access {
  /** The address of savedq. */
  url: string
  /** A JSON Web Token that is bound to the user who is signed in. */
  token: string
}

/** Returns a new token. */
export async function getAccess(): Promise<Access> {
  const response = await fetch('/token')
  if (!response.ok) {
    throw new Error(`the backend sent status ${response.status} for /token`)
  }
  return (await response.json()) as Access
}

/** Returns a client of savedq, which replaces a token that has expired. */
export function newClient(access: Access): Client {
  const auth = authExchange(async (utils) => ({
    addAuthToOperation: (operation) => utils.appendHeaders(operation, { Authorization: `Bearer ${access.token}` }),
    didAuthError: (error) => error.graphQLErrors.some(({ extensions }) => extensions.code === 'UNAUTHENTICATED') || error.response?.status === 401,
    refreshAuth: async () => {
      access = await getAccess()
    },
  }))
  // savedq caches the rows, so that a cache of documents in the page would only make them older.
  return new Client({ url: `${access.url}/graphql`, preferGetMethod: false, exchanges: [auth, fetchExchange] })
}
