// Follows logs with a client of server-sent events or of WebSockets, and prints each result,
// error and end as a line of JSON. Arguments: protocol, address, token, document, variables.
import { createClient as createEventClient } from "graphql-sse";
import { createClient as createSocketClient } from "graphql-ws";
import WebSocket from "ws";

const [protocol, url, token, query, variables] = process.argv.slice(2);
const print = (line) => console.log(JSON.stringify(line));

function newClient() {
  if (protocol === "sse") {
    const headers = token === "" ? {} : { "X-API-KEY": token };
    return createEventClient({ url, headers, retryAttempts: 0 });
  }
  return createSocketClient({
    url: url.replace("http", "ws"),
    webSocketImpl: WebSocket,
    connectionParams: token === "" ? undefined : { token },
    retryAttempts: 0,
  });
}

const client = newClient();
const stop = client.subscribe(
  { query, variables: JSON.parse(variables) },
  {
    next: (result) => print({ next: result }),
    error: (error) =>
      print({
        errors: Array.isArray(error) ? error : undefined,
        code: error.code,
        reason: error.reason,
        status: error.response?.status,
      }),
    complete: () => print({ complete: true }),
  },
);
// The test ends the subscription by closing the standard input.
process.stdin.on("end", () => stop());
process.stdin.resume();
