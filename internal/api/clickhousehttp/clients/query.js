// Prints what ClickHouse's client for Node.js gets of a server whose URL and token are the arguments, as lines of JSON.
import { createClient } from '@clickhouse/client'

const [url, token] = process.argv.slice(2)
const print = (value) => console.log(JSON.stringify(value))
const settings = { max_result_rows: '100', result_overflow_mode: 'break' }
const byPassword = createClient({ url, pathname: '/clickhouse', password: token, clickhouse_settings: settings })
const byToken = createClient({ url, pathname: '/clickhouse', access_token: token, compression: { response: true } })
print((await byPassword.ping()).success && (await byToken.ping({ select: true })).success)

const sources = await byPassword.query({ query: 'SELECT source, count() AS n FROM logs GROUP BY source ORDER BY source', format: 'JSON' })
const { meta, data, rows } = await sources.json()
print({ meta, data, rows })
print(sources.query_id !== '')

const rowsOf = async (client, query, format, query_params) => (await client.query({ query, format, query_params })).json()
print(await rowsOf(byToken, 'SHOW TABLES', 'JSONEachRow'))
print(await rowsOf(byToken, 'SELECT {text:String} AS text, {list:Array(String)} AS list, {at:DateTime} AS at, {n:Int64} AS n, {none:Nullable(String)} AS none', 'JSONEachRow', {
  text: "it's\ta \\ line\n", list: ["it's", 'b,c'], at: new Date('2026-03-01T10:00:00Z'), n: 5, none: null,
}))
print(await rowsOf(byToken, "SELECT arrayJoin(range(3)) AS n, repeat('x', 2000) = '' AS isEmpty", 'JSONCompactEachRowWithNamesAndTypes'))
const streamed = await byToken.query({ query: "SELECT arrayJoin(range(500)) AS n, repeat('x', 50) AS x", format: 'JSONEachRow' })
let count = 0
for await (const batch of streamed.stream()) count += batch.length
print(count)
print(await (await byToken.query({ query: "SELECT 'a' AS a", format: 'CSVWithNames' })).text())

const mistake = async (promise) => {
  try {
    print(await promise)
  } catch (error) {
    print({ code: error.code, type: error.type, message: error.message })
  }
}
await mistake(byPassword.query({ query: 'SELECT nosuch FROM logs', format: 'JSON' }))
await mistake(byPassword.insert({ table: 'logs', values: [{ id: 'x' }], format: 'JSONEachRow' }))
await mistake(byPassword.command({ query: 'ALTER TABLE logs DELETE WHERE 1' }))
await mistake(createClient({ url, pathname: '/clickhouse', password: 'a-wrong-password-of-some-length' }).query({ query: 'SELECT 1' }))
await Promise.all([byPassword.close(), byToken.close()])
