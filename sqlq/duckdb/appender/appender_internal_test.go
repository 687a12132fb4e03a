package appender

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/duckdb/connect"
)

// appendTo appends rows to a new table with a column of each type, and returns the database.
func appendTo(t *testing.T, ctx context.Context, rows [][]driver.Value) (*sql.DB, error) { //nolint:revive // The context is what is tested.
	t.Helper()
	connector, err := connect.New("", nil)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.ExecContext(t.Context(), "CREATE TABLE appended (text VARCHAR, time TIMESTAMP, signed BIGINT, unsigned UBIGINT, double DOUBLE)")
	require.NoError(t, err)
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	_, err = Append(ctx, conn, Target{Table: "appended"}, len(rows), RowsAt(len(rows), func(i int) []driver.Value { return rows[i] }))
	return db, err
}

// stored returns the rows of the table.
func stored(t *testing.T, db *sql.DB) (rows [][]driver.Value) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), "FROM appended")
	require.NoError(t, err)
	defer func() { require.NoError(t, found.Close()) }()
	for found.Next() {
		var row [5]any
		require.NoError(t, found.Scan(&row[0], &row[1], &row[2], &row[3], &row[4]))
		rows = append(rows, []driver.Value{row[0], row[1], row[2], row[3], row[4]})
	}
	require.NoError(t, found.Err())
	return rows
}

// Rows arrive as they were given, whatever their types, lengths and NULLs, also where a data
// chunk and a block of texts end.
func TestAppender(t *testing.T) {
	t.Parallel()
	var given, want [][]driver.Value
	for i := range 3*chunkRows + 1 {
		text := strconv.Itoa(i) + "é" + strings.Repeat("x", i%40)
		if i%1000 == 999 {
			text = strings.Repeat("y", minTextBlock*i/1000)
		}
		at := time.UnixMicro(int64(i-chunkRows) * 1e9).UTC()
		row := []driver.Value{text, at, int64(i - chunkRows), uint64(i) << 50, float64(i) / 3}
		want = append(want, row)
		given = append(given, append([]driver.Value(nil), row...))
		switch i % 7 {
		case 1:
			given[i] = []driver.Value{&text, &at, row[2], row[3], row[4]}
		case 2:
			metadata := json.RawMessage(text)
			given[i][0] = &metadata
		case 3:
			want[i] = []driver.Value{nil, nil, nil, nil, nil}
			given[i] = want[i]
		case 4:
			want[i] = []driver.Value{nil, at, int64(math.MinInt64), uint64(math.MaxUint64), math.Inf(-1)}
			given[i] = []driver.Value{(*string)(nil), at, int64(math.MinInt64), uint64(math.MaxUint64), math.Inf(-1)}
		case 5:
			var metadata json.RawMessage
			given[i][0], want[i] = &metadata, append([]driver.Value{nil}, row[1:]...)
		}
	}
	db, err := appendTo(t, t.Context(), given)
	require.NoError(t, err)
	rows := stored(t, db)
	require.Len(t, rows, len(want))
	for i := range want {
		require.Equal(t, want[i], rows[i], "row %d", i)
	}
}

// Strings of every length around the 12 bytes that DuckDB stores in place are found again, and
// what is no UTF-8 is replaced.
func TestAppendedTexts(t *testing.T) {
	t.Parallel()
	var given [][]driver.Value
	for length := range 20 {
		given = append(given, []driver.Value{strings.Repeat("z", length), nil, nil, nil, nil})
	}
	given = append(given, []driver.Value{"a\xffb", nil, nil, nil, nil})
	db, err := appendTo(t, t.Context(), given)
	require.NoError(t, err)
	for length := range 20 {
		var count int
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM appended WHERE text = repeat('z', ?)", length).Scan(&count))
		assert.Equal(t, 1, count, "length %d", length)
	}
	assert.Equal(t, "a\uFFFDb", stored(t, db)[20][0])
}

// A value that does not fit its column is an error, and nothing is appended.
func TestAppenderRejectsOtherTypes(t *testing.T) {
	t.Parallel()
	good := []driver.Value{"a", nil, nil, nil, nil}
	for name, test := range map[string]struct {
		row  []driver.Value
		want string
	}{
		"a number for a text": {[]driver.Value{int64(1), nil, nil, nil, nil}, "column 1: cannot append a value of type 5 of DuckDB to type 17"},
		"a text for a time":   {[]driver.Value{nil, "a", nil, nil, nil}, "column 2: cannot append a string to type 12 of DuckDB"},
		"an unknown type":     {[]driver.Value{nil, nil, true, nil, nil}, "column 3: cannot append a value of type bool"},
		"too few values":      {[]driver.Value{"a"}, "a row has 1 values for 5 columns"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := appendTo(t, t.Context(), [][]driver.Value{good, test.row})
			require.EqualError(t, err, test.want)
			assert.Empty(t, stored(t, db))
		})
	}
}

// Appending ends with its context, at the latest after a data chunk.
func TestAppenderStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rows := make([][]driver.Value, chunkRows+1)
	for i := range rows {
		rows[i] = []driver.Value{"a", nil, nil, nil, nil}
	}
	db, err := appendTo(t, ctx, rows)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, stored(t, db))
}

// A missing table is an error of DuckDB.
func TestAppenderNeedsTable(t *testing.T) {
	t.Parallel()
	db, err := appendTo(t, t.Context(), nil)
	require.NoError(t, err)
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	_, err = Append(t.Context(), conn, Target{Table: "absent"}, 1, func() ([]driver.Value, bool) { return nil, false })
	require.ErrorContains(t, err, "absent")
}
