package bench

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// callTool returns a request for the rows of a tool.
func callTool(name, arguments string) []byte {
	request := post("/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments))
	return bytes.Replace(request, []byte("\r\n\r\n"), []byte("\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n\r\n"), 1)
}

// A call of a tool whose rows are cached, beside the same rows over REST. The ratio is the median of
// many short rounds.
func BenchmarkCachedMCP(b *testing.B) {
	const round = 400
	address := serve(b, savedq(b, rowsEngine(fewRows)))
	call := callTool("functions_invocation-stats", `{"project":"default","interval":"5min"}`)
	rest := newLoad(b, address, func(int) []byte { return statsPath() })
	mcp := newLoad(b, address, func(int) []byte { return call })
	rest.full(b, round)
	mcp.full(b, round)
	require.Contains(b, string(mcp.clients[0].body), `"cache":"HIT"`)

	_, ratio := takeTurns(b, round, "REST", func() { rest.full(b, round) }, func() { mcp.full(b, round) })
	b.ReportMetric(ratio, "ratio")
}
