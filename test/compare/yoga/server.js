// A GraphQL server of graphql-yoga with its response cache, which has the rows of one response in memory.
// Usage: node server.js HOST:PORT ROWS.json
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { useResponseCache } from '@graphql-yoga/plugin-response-cache'
import { createSchema, createYoga } from 'graphql-yoga'

const [address, file] = process.argv.slice(2)
const [host, port] = address.split(':')
const rows = JSON.parse(readFileSync(file, 'utf8'))

const schema = createSchema({
  typeDefs: `
    enum InvocationInterval { FIVE_MINUTES FIFTEEN_MINUTES ONE_HOUR ONE_DAY SEVEN_DAYS }
    type InvocationStat {
      timestamp: String! minExecutionTime: Float maxExecutionTime: Float avgExecutionTime: Float
      p95ExecutionTime: Float p99ExecutionTime: Float count: Int! errorCount: Int!
    }
    type Query { invocationStats(project: String!, interval: InvocationInterval = ONE_DAY): [InvocationStat!]! }
  `,
  resolvers: { Query: { invocationStats: () => rows } },
})
const yoga = createYoga({ schema, logging: false, plugins: [useResponseCache({ session: () => null, ttl: 900_000 })] })
createServer(yoga).listen(Number(port), host)
