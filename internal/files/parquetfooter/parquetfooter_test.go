package parquetfooter_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/files/parquetfooter"
)

// file returns a Parquet file with a footer.
func file(footer []byte) []byte {
	content := append([]byte("PAR1"), footer...)
	return append(binary.LittleEndian.AppendUint32(content, uint32(len(footer))), "PAR1"...)
}

// footer returns FileMetaData of schema elements, each with a number of children.
func footer(children ...int) []byte {
	content := []byte{0x15, 0x02, 0x19} // field 1, an i32; field 2, a list
	content = binary.AppendUvarint(append(content, 0xfc), uint64(len(children)))
	for _, count := range children {
		content = append(content, 0x48, 0x01, 'a') // field 4, its name
		if count != 0 {
			content = binary.AppendUvarint(append(content, 0x15), uint64(count)<<1)
		}
		content = append(content, 0)
	}
	return append(content, 0x16, 0x00, 0x19, 0x0c, 0x00) // field 3, the number of rows; field 4, no row groups
}

// nested returns groups in groups.
func nested(depth int) []int {
	children := make([]int, depth)
	for i := range depth - 1 {
		children[i] = 1
	}
	return children
}

func read(content []byte) (parquetfooter.Schema, error) {
	return parquetfooter.Read(bytes.NewReader(content), int64(len(content)))
}

// A footer that DuckDB could not survive, or could not read, is an error. None recurses, waits or takes much memory.
func TestReadRejects(t *testing.T) {
	t.Parallel()
	unknown := func(head byte, depth int) []byte {
		return append(footer(1, 0)[:3], bytes.Repeat([]byte{head}, depth)...)
	}
	flat := func(count int) []int { return append([]int{count}, make([]int, count)...) }
	for name, test := range map[string]struct {
		content []byte
		want    error
	}{
		"one column":                    {file(footer(1, 0)), nil},
		"as deep as allowed":            {file(footer(nested(parquetfooter.MaxDepth)...)), nil},
		"as many as allowed":            {file(footer(flat(parquetfooter.MaxElements - 1)...)), nil},
		"groups and columns":            {file(footer(3, 0, 2, 0, 0, 1, 0)), nil},
		"too deep":                      {file(footer(nested(parquetfooter.MaxDepth + 1)...)), parquetfooter.ErrDepth},
		"100,000 groups":                {file(footer(append([]int{1}, nested(parquetfooter.MaxElements-1)...)...)), parquetfooter.ErrDepth},
		"too many":                      {file(footer(flat(parquetfooter.MaxElements)...)), parquetfooter.ErrElements},
		"too few children":              {file(footer(2, 0)), parquetfooter.ErrIncomplete},
		"too many children":             {file(footer(1, 0, 0)), parquetfooter.ErrIncomplete},
		"no root":                       {file(footer()), nil},
		"negative children":             {file(bytes.Replace(footer(9, 0), []byte{0x15, 18}, []byte{0x15, 17}, 1)), parquetfooter.ErrIncomplete},
		"deep structs":                  {file(unknown(0x1c, 1_000_000)), parquetfooter.ErrIncomplete},
		"deep lists":                    {file(append([]byte{0x59}, bytes.Repeat([]byte{0x19}, 1_000_000)...)), parquetfooter.ErrIncomplete},
		"a second schema":               {file(append(footer(1, 0)[:len(footer(1, 0))-1], append([]byte{0x09, 0x04}, footer(nested(200)...)[3:]...)...)), parquetfooter.ErrDepth},
		"a huge list":                   {file([]byte{0x59, 0xf3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}), parquetfooter.ErrIncomplete},
		"a huge text":                   {file([]byte{0x58, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}), parquetfooter.ErrIncomplete},
		"an endless number":             {file(append([]byte{0x15}, bytes.Repeat([]byte{0xff}, 100)...)), parquetfooter.ErrIncomplete},
		"without a schema":              {file([]byte{0x15, 0x02, 0x00}), parquetfooter.ErrIncomplete},
		"an empty footer":               {file(nil), parquetfooter.ErrIncomplete},
		"cut":                           {file(footer(1, 0))[:20], parquetfooter.ErrIncomplete},
		"empty":                         {nil, parquetfooter.ErrIncomplete},
		"a footer longer than the file": {append(file(footer(1, 0))[:4], "\xff\xff\xff\x7fPAR1"...), parquetfooter.ErrIncomplete},
		"encrypted":                     {append(file(footer(1, 0))[:25], "PARE"...), parquetfooter.ErrEncrypted},
		"text":                          {bytes.Repeat([]byte("not a Parquet file "), 10), parquetfooter.ErrIncomplete},
	} {
		_, err := read(test.content)
		assert.Equal(t, test.want, err, name)
	}
	whole := file(footer(3, 0, 2, 0, 0, 1, 0))
	for end := range len(whole) { // each part of a file, and each footer that is cut
		_, err := read(whole[:end])
		require.Error(t, err)
	}
	plain := footer(3, 0, 2, 0, 0, 1, 0)
	for end := range len(plain) {
		_, err := read(file(plain[:end]))
		require.Error(t, err, end)
	}
}

// Every file that DuckDB writes can be read.
func TestReadAsDuckDBWrites(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	for i, query := range []string{
		"SELECT 1 AS a", "SELECT 1 AS a WHERE false",
		"SELECT [[1], []] AS l, MAP {'a': {'b': [DATE '2026-01-02']}} AS m, {'a': {'b': {'c': 1.5}}} AS s, 'x'::BLOB AS b, uuid() AS u, true AS t, now() AS n",
		"SELECT range AS a, range::VARCHAR AS b FROM range(500000)",
		"SELECT '{\"a\":1}'::JSON AS j, 1::UHUGEINT AS h, INTERVAL 1 DAY AS i, TIME '10:00:00' AS t",
	} {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.parquet", i))
		_, err := db.ExecContext(context.Background(), "COPY ("+query+") TO '"+path+"' (ROW_GROUP_SIZE 2048)")
		require.NoError(t, err)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		schema, err := read(content)
		require.NoError(t, err, query)
		assert.False(t, schema.Variant)
	}
	path := filepath.Join(t.TempDir(), "variant.parquet")
	_, err = db.ExecContext(context.Background(), "COPY (SELECT {'a': 1}::VARIANT AS v) TO '"+path+"'")
	require.NoError(t, err)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	schema, err := read(content)
	require.NoError(t, err)
	assert.True(t, schema.Variant)
}

// No footer makes the reader panic.
func FuzzRead(f *testing.F) {
	f.Add(footer(3, 0, 2, 0, 0, 1, 0))
	f.Add(footer(nested(200)...))
	f.Fuzz(func(_ *testing.T, content []byte) { _, _ = read(file(content)) })
}
