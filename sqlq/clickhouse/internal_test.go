package clickhouse

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	clickhouse "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// Parameters are found where ClickHouse finds them.
func TestDialect(t *testing.T) {
	t.Parallel()
	const sql = "SELECT {a:String}, {'b': 1}, '{c:Int8}', \"{d:Int8}\", `{e:Int8}`, $x${f:Int8}$x$, 'it''s {g:Int8}', '\\'{h:Int8}'\n" +
		"-- {i:Int8}\n# {j:Int8}\n/* {k:Int8} */ WHERE x = {l:DateTime64(6, 'UTC')} AND y IN {a:Array(Nullable(String))} AND m{x}"
	var names []string
	for _, use := range sqltext.Params(Dialect{}, sql) {
		names = append(names, use.Name+" "+sql[use.Start:use.End])
	}
	assert.Equal(t, []string{"a {a:String}", "l {l:DateTime64(6, 'UTC')}", "a {a:Array(Nullable(String))}"}, names)
	for text := range map[string]bool{"'": true, "$": true, "$a": true, "{": true, "{a": true, "{a:": true, "/*": true, "`": true, "\\": true} {
		assert.Positive(t, Dialect{}.TokenLength(text))
		assert.LessOrEqual(t, Dialect{}.TokenLength(text), len(text))
	}
}

// Types are read with all that is in them.
func TestParseType(t *testing.T) {
	t.Parallel()
	parsed, err := parseType("LowCardinality(Nullable(String))")
	require.NoError(t, err)
	assert.Equal(t, "String", parsed.name)
	assert.True(t, parsed.nullable)
	parsed, err = parseType("Tuple(a Array(Tuple(`b c` Nullable(Decimal(38, 9)), d Map(String, DateTime64(6, 'Europe/Berlin')))), e Enum8('x, (' = -1, 'it\\'s' = 2))")
	require.NoError(t, err)
	column := parsed.planned("c")
	assert.Equal(t, []string{"a", "e"}, parsed.fields)
	assert.Equal(t, "b c", column.Fields[0].Element.Fields[0].Name)
	assert.Equal(t, 9, parsed.inner[0].inner[0].inner[0].scale)
	assert.Equal(t, 6, parsed.inner[0].inner[0].inner[1].inner[1].scale)
	assert.Equal(t, map[int64]string{-1: "x, (", 2: "it's"}, parsed.inner[1].words)
	for _, broken := range []string{"Decimal(x)", "Array(Int8, Int8)", "Nullable()", "Map(String)", "DateTime64('UTC')", "FixedString(x)", "Enum8('a' = )", "Tuple(a Int8, Int8)"} {
		_, err := parseType(broken)
		require.ErrorContains(t, err, "cannot be read", broken)
	}
}

// A response that ends in a row, or has something else, is an error.
func TestBrokenRows(t *testing.T) {
	t.Parallel()
	whole := header("a String", "b Array(Int64)")
	whole = append(whole, 2, 'h', 'i', 1, 5, 0, 0, 0, 0, 0, 0, 0)
	columns := []sqlq.Column{{Name: "a", Type: sqlq.String}, {Name: "b", Type: "ARRAY<INT64>"}}
	read := func(data []byte) ([][]any, error) {
		rows, err := newRowReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		var all [][]any
		for {
			row, err := rows.next(columns)
			if err != nil {
				return all, err
			}
			all = append(all, row)
		}
	}
	all, err := read(whole)
	require.Equal(t, io.EOF, err)
	assert.Equal(t, [][]any{{"hi", []any{int64(5)}}}, all)
	for length := range whole {
		_, err := read(whole[:length])
		if length == len(header("a String", "b Array(Int64)")) {
			require.Equal(t, io.EOF, err)
			continue
		}
		require.Error(t, err, length)
		if length > 0 {
			require.NotEqual(t, io.EOF, err, length)
		}
	}
	_, err = read(append(header("a String", "b Array(Int64)"), 0xff, 0xff, 0xff, 0xff, 0x0f))
	require.ErrorContains(t, err, "a text of 4294967295 bytes")
	_, err = read(append(header("a String", "b Array(Tuple(Nothing))"), 0, 0xff, 0xff, 0x03))
	require.ErrorContains(t, err, "a list of 65535 values")
	for _, columns := range [][]string{{}, {"a Nothing"}, {"a Tuple(Nothing)", "b Nothing"}} {
		_, err = newRowReader(bytes.NewReader(append(header(columns...), 1)))
		require.ErrorContains(t, err, "rows of no bytes")
	}
	_, err = newRowReader(bytes.NewReader([]byte{0xff, 0xff, 0x03}))
	require.ErrorContains(t, err, "65535 columns")
	_, err = read(append(header("a AggregateFunction(sum, Int64)", "b Array(Int64)"), 1))
	require.ErrorContains(t, err, "values of the type AggregateFunction(sum, Int64) cannot be read")
}

// header returns the names and the types of columns such as "a String".
func header(columns ...string) []byte {
	data := []byte{byte(len(columns))}
	for part := range 2 {
		for _, column := range columns {
			words := strings.SplitN(column, " ", 2)
			data = binary.AppendUvarint(data, uint64(len(words[part])))
			data = append(data, words[part]...)
		}
	}
	return data
}

// FuzzRows checks that no response makes the reader panic or take memory that did not arrive.
func FuzzRows(f *testing.F) {
	f.Add(header("a String"))
	f.Add(append(header(), 1))
	f.Add(append(header("a Nothing", "b Tuple()"), 1))
	f.Add(append(header("a Array(Tuple(Int8, String))", "b Nullable(Decimal(38, 9))"), 1, 1, 1, 'x', 0))
	f.Add(append(header("a Enum8('a' = 1)", "b DateTime64(9)"), 1, 0, 0, 0, 0, 0, 0, 0, 0))
	f.Fuzz(func(_ *testing.T, data []byte) {
		rows, err := newRowReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		columns := make([]sqlq.Column, len(rows.types))
		for i := range columns {
			columns[i] = Declare(rows.types[i].planned(rows.names[i]))
		}
		for err == nil {
			_, err = rows.next(columns)
		}
	})
}

// Errors have the code that their kind calls for, and no text of the server.
func TestFailures(t *testing.T) {
	t.Parallel()
	of := func(code int32, message string) error { return &clickhouse.Exception{Code: code, Message: message} }
	engine := &Engine{}
	query := &sqlq.SavedQuery{Name: "test", SQLFile: "clickhouse.sql"}
	withPattern := &sqlq.SavedQuery{Name: "test", Params: []sqlq.Param{{Name: "p", Regex: true}}}
	ofCallers := &sqlq.SavedQuery{Name: "test", Callers: &sqlq.CallersSQL{}}
	ofCallersGoogle := &sqlq.SavedQuery{Name: "test", Callers: &sqlq.CallersSQL{}, Translation: new(sqlq.Translation)}
	const correlated = "a subquery that reads columns of the query around it in this way is not supported on ClickHouse; join the tables"
	for _, test := range []struct {
		query *sqlq.SavedQuery
		err   error
		code  sqlq.Code
		text  string
	}{
		{query, of(202, "Too many simultaneous queries secret"), sqlq.Unavailable, "ClickHouse is overloaded or unavailable; try again in a moment"},
		{query, of(201, "Quota secret"), sqlq.Unavailable, "a quota of ClickHouse is exceeded; try again later"},
		{query, of(516, "secret"), sqlq.Unavailable, "ClickHouse is not set up correctly; the server's log has the cause under this request's id"},
		{query, of(452, "secret"), sqlq.Unavailable, "ClickHouse is not set up correctly; the server's log has the cause under this request's id"},
		{query, of(497, "secret"), sqlq.Internal, "ClickHouse is not set up correctly; the server's log has the cause under this request's id"},
		{query, of(394, "secret"), sqlq.Unavailable, "ClickHouse is overloaded or unavailable; try again in a moment"},
		{query, of(6, "Cannot parse secret"), sqlq.Internal, "internal server error; the server's log has the cause under this request's id"},
		{query, &clickhouse.HTTPError{StatusCode: 502, Err: errors.New("secret")}, sqlq.Unavailable, "ClickHouse is overloaded or unavailable; try again in a moment"},
		{query, &clickhouse.HTTPError{StatusCode: 404, Err: errors.New("secret")}, sqlq.Unavailable, "ClickHouse is not set up correctly; the server's log has the cause under this request's id"},
		{query, io.ErrUnexpectedEOF, sqlq.Unavailable, "ClickHouse is overloaded or unavailable; try again in a moment"},
		{withPattern, of(427, "secret"), sqlq.InvalidArgument, "is not a regular expression that the engine accepts; use a simpler one"},
		{ofCallersGoogle, of(48, "Lambda secret is not implemented"), sqlq.InvalidArgument, correlated},
		{ofCallersGoogle, of(10, "Not found column secret in block"), sqlq.InvalidArgument, correlated},
		{ofCallersGoogle, of(47, "Unknown expression identifier `@a.x` in scope secret"), sqlq.InvalidArgument, correlated},
		{ofCallersGoogle, of(47, "Unknown expression identifier `x` in scope secret"), sqlq.InvalidArgument, "Unknown expression identifier `x`"},
		{ofCallers, of(48, "FORMAT is not implemented"), sqlq.InvalidArgument, "FORMAT is not implemented"},
		{ofCallers, of(395, "savedq: division by zero: while executing 'FUNCTION secret': (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO) (version 26.5.1.1 (official build))"), sqlq.InvalidArgument, "division by zero"},
	} {
		coded := sqlq.AsError(engine.codedError(test.query, test.err))
		assert.Equal(t, test.code, coded.Code, test.err)
		assert.Contains(t, coded.Message, test.text)
		assert.NotContains(t, coded.Message, "secret")
		require.ErrorContains(t, engine.codedError(test.query, test.err), test.err.Error()[:6])
	}
	assert.Equal(t, reads{rows: 3, bytes: 24}, readsIn(`{"read_rows":"3","read_bytes":"24","elapsed_ns":"1"}`))
	assert.Equal(t, reads{}, readsIn(""))
	assert.Equal(t, reads{}, readsIn(`{"read_rows":"x"}`))
}

// An author's SETTINGS override no limit, and nothing that values rely on. Their places are said.
func TestAuthorsSettings(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT 1 SETTINGS join_algorithm = 'hash', use_skip_indexes = 0":                   "",
		"SELECT settings FROM t WHERE settings = 5 AND max_x = 1":                           "",
		"SELECT max_memory_usage FROM (SELECT 1 SETTINGS x = 1) WHERE max_memory_usage > 1": "",
		"SELECT 'SETTINGS readonly = 0' -- SETTINGS readonly = 0":                           "",
		"SELECT 1\nSETTINGS max_execution_time = 0":                                         "f.sql:2:10: SETTINGS cannot change max_execution_time",
		"SELECT 1 settings MAX_BYTES_TO_READ=0":                                             "f.sql:1:19: SETTINGS cannot change max_bytes_to_read",
		"SELECT 1 SETTINGS x = [1, 2], `readonly` = 0":                                      "f.sql:1:31: SETTINGS cannot change readonly",
		"SELECT 1 SETTINGS x = {'a': 1, 'b': (2)}, \"limit\" = 0":                           "f.sql:1:43: SETTINGS cannot change limit",
		"SELECT 1 SETTINGS use_skip_indexes, session_timezone = 'Asia/Tokyo'":               "f.sql:1:37: SETTINGS cannot change session_timezone",
		"SELECT a FROM (SELECT 1 AS a SETTINGS timeout_overflow_mode = 'break') WHERE a":    "f.sql:1:39: SETTINGS cannot change timeout_overflow_mode",
		"SELECT 1 SETTINGS x = 1 UNION ALL SELECT 2 SETTINGS max_rows_to_read = 0":          "f.sql:1:53: SETTINGS cannot change max_rows_to_read",
		"SELECT 1 SETTINGS x = 'a' /* , */, -- y\n profile = 'big'":                         "f.sql:2:2: SETTINGS cannot change profile",
	} {
		mistakes := Config{}.settingMistakes(&sqlq.SavedQuery{SQL: sql, SQLFile: "f.sql", MaxRows: 10})
		if want == "" {
			assert.Empty(t, mistakes, sql)
			continue
		}
		if assert.Len(t, mistakes, 1, sql) {
			assert.ErrorContains(t, mistakes, want, sql)
		}
	}
	assert.Empty(t, Config{}.settingMistakes(&sqlq.SavedQuery{SQL: "SELECT 1 SETTINGS readonly = 0", Translation: &sqlq.Translation{}}))
}
