package clickhouse_test

import (
	"encoding/pem"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/clickhouse"
)

// oneRow is a response in RowBinaryWithNamesAndTypes: a row with the number 1 in the column a.
const oneRow = "\x01\x01a\x05Int64\x01\x00\x00\x00\x00\x00\x00\x00"

// server answers the first query of the client, and all others with one row, unless it fails.
type server struct {
	failing atomic.Bool
	queries atomic.Int64
	// user and password came with the last query.
	user, password atomic.Value
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query, _ := io.ReadAll(r.Body)
	if s.failing.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if strings.HasPrefix(string(query), "SELECT displayName()") {
		_, _ = w.Write(hello())
		return
	}
	s.queries.Add(1)
	user, password, _ := r.BasicAuth()
	if header := r.Header.Get("X-ClickHouse-User"); header != "" {
		user, password = header, r.Header.Get("X-ClickHouse-Key")
	}
	s.user.Store(user)
	s.password.Store(password)
	_, _ = io.WriteString(w, oneRow)
}

// hello returns the block with which a server introduces itself, in the protocol of the client: its name, version, protocol and
// time zone.
func hello() []byte {
	text := func(text string) string { return string(rune(len(text))) + text }
	var block strings.Builder
	block.WriteString("\x01\x00\x02\xff\xff\xff\xff\x00\x04\x01")
	for _, column := range [][3]string{
		{"displayName()", "String", text("test")}, {"version()", "String", text("26.5.1.1")}, {"revision()", "UInt32", "\x00\x00\x00\x00"}, {"timezone()", "String", text("UTC")},
	} {
		block.WriteString(text(column[0]) + text(column[1]) + "\x00" + column[2])
	}
	return []byte(block.String())
}

// run runs a query on servers.
func run(t *testing.T, config clickhouse.Config) error {
	t.Helper()
	config.Clock, config.Logger = time.Now, slog.New(slog.DiscardHandler)
	engine, err := clickhouse.New(t.Context(), config)
	require.NoError(t, err)
	defer func() { assert.NoError(t, engine.Close()) }()
	query := &sqlq.SavedQuery{Name: "one", SQL: "SELECT 1 AS a", SQLFile: "one/clickhouse.sql", MaxRows: 10, Columns: []sqlq.Column{{Name: "a", Type: sqlq.Int64}}}
	result, err := engine.Run(t.Context(), sqlq.NewStatement(query, nil, time.Now()))
	if err == nil {
		assert.Equal(t, [][]any{{int64(1)}}, result.Rows)
	}
	return err
}

// A certificate is checked, against the authorities that the operator names.
func TestTLS(t *testing.T) {
	t.Parallel()
	handler := new(server)
	served := httptest.NewTLSServer(handler)
	defer served.Close()
	served.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // the handshakes that fail
	address := served.Listener.Addr().String()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: served.Certificate().Raw})
	require.NoError(t, run(t, clickhouse.Config{Addresses: []string{address}, TLS: true, CA: authority, User: "reader", Password: "p\"ä"}))
	assert.Equal(t, "reader", handler.user.Load())
	assert.Equal(t, "p\"ä", handler.password.Load())

	asked := handler.queries.Load()
	for name, test := range map[string]struct {
		config clickhouse.Config
		code   sqlq.Code
	}{
		"an unknown authority":         {clickhouse.Config{Addresses: []string{address}, TLS: true, Password: "secret"}, sqlq.Unavailable},
		"a DSN, an unknown authority":  {clickhouse.Config{DSN: "https://reader:secret@" + address + "/logs"}, sqlq.Unavailable},
		"no TLS, which the server has": {clickhouse.Config{Addresses: []string{address}, Password: "secret"}, sqlq.Unavailable},
	} {
		err := run(t, test.config)
		require.Error(t, err, name)
		coded := sqlq.AsError(err)
		assert.Equal(t, test.code, coded.Code, name)
		assert.NotContains(t, coded.Message, address, "callers are not told where the server is")
		assert.NotContains(t, err.Error(), "secret", name)
	}
	assert.Equal(t, asked, handler.queries.Load(), "no query leaves without a check of the certificate")
	engine, err := clickhouse.New(t.Context(), clickhouse.Config{Addresses: []string{address}, Clock: time.Now, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer func() { assert.NoError(t, engine.Close()) }()
	require.ErrorContains(t, engine.CheckServer(t.Context()), "what answers at "+address+" is not ClickHouse's HTTP interface; check --clickhouse-addr")
	_, err = clickhouse.New(t.Context(), clickhouse.Config{Addresses: []string{address}, TLS: true, CA: []byte("no PEM")})
	require.EqualError(t, err, "the file of certificates for ClickHouse has none in PEM")
}

// Of several servers the first that answers runs a query, and another one when it stops or fails.
func TestFailover(t *testing.T) {
	t.Parallel()
	first, second := new(server), new(server)
	atFirst, atSecond := httptest.NewServer(first), httptest.NewServer(second)
	defer atSecond.Close()
	config := clickhouse.Config{
		Addresses: []string{atFirst.Listener.Addr().String(), atSecond.Listener.Addr().String()},
		Clock:     time.Now, Logger: slog.New(slog.DiscardHandler),
	}
	engine, err := clickhouse.New(t.Context(), config)
	require.NoError(t, err)
	defer func() { assert.NoError(t, engine.Close()) }()
	query := &sqlq.SavedQuery{Name: "one", SQL: "SELECT 1 AS a", SQLFile: "one/clickhouse.sql", MaxRows: 10, Columns: []sqlq.Column{{Name: "a", Type: sqlq.Int64}}}
	ask := func() error {
		_, err := engine.Run(t.Context(), sqlq.NewStatement(query, nil, time.Now()))
		return err
	}
	require.NoError(t, ask())
	assert.EqualValues(t, 1, first.queries.Load())
	assert.Zero(t, second.queries.Load())

	first.failing.Store(true) // it is there, and answers 503
	require.NoError(t, ask())
	assert.EqualValues(t, 1, second.queries.Load())

	atFirst.Close()
	require.NoError(t, ask())
	assert.EqualValues(t, 2, second.queries.Load())

	second.failing.Store(true)
	assert.Equal(t, sqlq.Unavailable, sqlq.AsError(ask()).Code)
	second.failing.Store(false)
	require.NoError(t, ask(), "it works again")
}
