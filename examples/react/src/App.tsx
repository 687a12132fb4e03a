import { useEffect } from 'react'
import { useQuery } from 'urql'
import { Chart } from './Chart.tsx'
import { graphql } from './gql/index.ts'

// The token binds the project, so that it need not be named.
const Invocations = graphql(`
  query Invocations($interval: InvocationInterval) {
    invocationStats(interval: $interval) {
      timestamp
      count
      errorCount
    }
  }
`)

/** How often rows are requested, in milliseconds. */
const PERIOD = 5000

/** Returns what to tell people about an error. */
const messageOf = (error: { graphQLErrors: { message: string }[]; message: string }) => error.graphQLErrors[0]?.message ?? error.message

export default function App() {
  const [{ data, error }, request] = useQuery({ query: Invocations, variables: { interval: 'ONE_HOUR' } })
  useEffect(() => {
    const timer = setInterval(() => request({ requestPolicy: 'network-only' }), PERIOD)
    return () => clearInterval(timer)
  }, [request])

  const buckets = data?.invocationStats ?? []
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  const failed = buckets.reduce((sum, { errorCount }) => sum + errorCount, 0)
  return (
    <main>
      <h1>Invocations in the last hour</h1>
      <p role="status">{error ? messageOf(error) : data ? `${total} invocations, ${failed} with errors` : 'Loading…'}</p>
      {data && <Chart buckets={buckets.map(({ timestamp, count, errorCount }) => ({ time: new Date(timestamp), count, errors: errorCount }))} />}
    </main>
  )
}
