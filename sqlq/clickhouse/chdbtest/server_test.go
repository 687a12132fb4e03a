package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// connect connects to a server as engines do.
func connect(tb testing.TB, server *testServer) driver.Conn {
	tb.Helper()
	connection, err := clickhouse.Open(&clickhouse.Options{
		Protocol: clickhouse.HTTP, Addr: []string{server.address},
		Auth: clickhouse.Auth{Username: server.user, Password: server.password, Database: server.database},
	})
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, connection.Close()) })
	return connection
}

// post sends a query without a client.
func post(tb testing.TB, server *testServer, arguments, body string) (status int, text string) {
	tb.Helper()
	values, err := url.ParseQuery(arguments)
	require.NoError(tb, err)
	if server.database != "" {
		values.Set("database", server.database)
	}
	request, err := http.NewRequestWithContext(context.WithoutCancel(tb.Context()), http.MethodPost, "http://"+server.address+"/?"+values.Encode(), strings.NewReader(body))
	require.NoError(tb, err)
	request.SetBasicAuth(server.user, server.password)
	response, err := http.DefaultClient.Do(request)
	require.NoError(tb, err)
	defer func() { assert.NoError(tb, response.Body.Close()) }()
	received, err := io.ReadAll(response.Body)
	require.NoError(tb, err)
	return response.StatusCode, string(received)
}

// TestServer checks that a server does what a client expects of ClickHouse.
func TestServer(t *testing.T) {
	if os.Getenv(serverVariable) != "" {
		t.Skip("it tests the server of the library, and " + serverVariable + " names another one")
	}
	server := startServer(t)
	connection := connect(t, server)

	t.Run("the client reads values of every kind", func(t *testing.T) {
		ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"text": `it's \\ a\tb`}),
			clickhouse.WithSettings(clickhouse.Settings{"max_result_rows": 7}))
		var text, decimal string
		var missing *int64
		var members map[string]string
		var pair []any
		var limit string
		row := connection.QueryRow(ctx, "SELECT {text:String}, NULL::Nullable(Int64), map('a.b', 'c'), (1::Int64, 'x'), toString(1.5::Decimal(38, 9)), toString(getSetting('max_result_rows'))")
		require.NoError(t, row.Scan(&text, &missing, &members, &pair, &decimal, &limit))
		assert.Equal(t, "it's \\ a\tb", text, "a parameter has the escapes of TSV")
		assert.Nil(t, missing)
		assert.Equal(t, map[string]string{"a.b": "c"}, members)
		assert.Equal(t, []any{int64(1), "x"}, pair)
		assert.Equal(t, "1.5", decimal)
		assert.Equal(t, "7", limit)
	})
	t.Run("rows are inserted in any format", func(t *testing.T) {
		require.NoError(t, connection.Exec(t.Context(), "CREATE TABLE numbered (x Int64) ENGINE = MergeTree ORDER BY x"))
		status, text := post(t, server, "query=INSERT INTO numbered FORMAT JSONEachRow", `{"x": 1}{"x": 2}`)
		require.Equal(t, http.StatusOK, status, text)
		batch, err := connection.PrepareBatch(t.Context(), "INSERT INTO numbered")
		require.NoError(t, err)
		require.NoError(t, batch.Append(int64(39)))
		require.NoError(t, batch.Send())
		_, text = post(t, server, "", "SELECT sum(x) FROM numbered")
		assert.Equal(t, "42\n", text)
	})
	t.Run("settings end with the request", func(t *testing.T) {
		status, text := post(t, server, "readonly=2", "CREATE TABLE other (x Int64) ENGINE = Memory")
		assert.Equal(t, http.StatusInternalServerError, status)
		assert.Contains(t, text, "Code: 164.")
		status, text = post(t, server, "", "CREATE TABLE other (x Int64) ENGINE = Memory")
		assert.Equal(t, http.StatusOK, status, text)
	})
	t.Run("a query that fails after its first rows says so", func(t *testing.T) {
		rows, err := connection.Query(t.Context(), "SELECT throwIf(number = 2000000) FROM numbers(10000000)")
		require.NoError(t, err)
		read := 0
		for rows.Next() {
			read++
		}
		failed := new(clickhouse.Exception)
		require.ErrorAs(t, rows.Err(), &failed)
		assert.EqualValues(t, 395, failed.Code)
		assert.Positive(t, read)
		assert.Error(t, rows.Close())
	})
	t.Run("a query ends when its client leaves", func(t *testing.T) {
		ctx, leave := context.WithCancel(clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{
			"readonly": 2, "cancel_http_readonly_queries_on_client_close": 1,
		})))
		failed := make(chan error, 1)
		go func() {
			failed <- connection.QueryRow(ctx, "SELECT sum(cityHash64(number)) FROM numbers(1000000000000)").Err()
		}()
		running := func() bool {
			_, text := post(t, server, "", "SELECT count() FROM system.processes WHERE query LIKE 'SELECT sum(cityHash64%'")
			return text == "1\n"
		}
		require.Eventually(t, running, time.Minute, 20*time.Millisecond)
		leave()
		require.ErrorIs(t, <-failed, context.Canceled)
		require.Eventually(t, func() bool { return !running() }, time.Minute, 20*time.Millisecond)
	})
	t.Run("a wrong password is refused", func(t *testing.T) {
		other, err := clickhouse.Open(&clickhouse.Options{
			Protocol: clickhouse.HTTP, Addr: []string{server.address}, Auth: clickhouse.Auth{Username: "default", Password: "other"},
		})
		require.NoError(t, err)
		defer func() { assert.NoError(t, other.Close()) }()
		failed := new(clickhouse.Exception)
		require.ErrorAs(t, other.Ping(t.Context()), &failed)
		assert.EqualValues(t, 516, failed.Code)
	})
}
