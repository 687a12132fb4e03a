package duckdb_test

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// parquetOf returns a Parquet file of a column c, and of a list of it.
func parquetOf(t *testing.T, typ arrow.DataType, add func(to array.Builder)) string {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "c", Type: typ, Nullable: true}, {Name: "l", Type: arrow.ListOf(typ), Nullable: true}}, nil)
	rows := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer rows.Release()
	list, ok := rows.Field(2).(*array.ListBuilder)
	require.True(t, ok)
	rows.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2}, nil) //nolint:forcetypeassert // It is.
	rows.Field(1).AppendNull()
	list.AppendNull()
	add(rows.Field(1))
	list.Append(true)
	add(list.ValueBuilder())
	record := rows.NewRecordBatch()
	defer record.Release()
	var content bytes.Buffer
	file, err := pqarrow.NewFileWriter(schema, &content, parquet.NewWriterProperties(), pqarrow.NewArrowWriterProperties(pqarrow.WithDeprecatedInt96Timestamps(true)))
	require.NoError(t, err)
	require.NoError(t, file.Write(record))
	require.NoError(t, file.Close())
	return content.String()
}

// DuckDB reads a DECIMAL of more than 38 digits as a DOUBLE, so such a column is an error, unless it is left out.
func TestParquetDecimalsOfManyDigits(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	wide := &arrow.Decimal256Type{Precision: 50, Scale: 9}
	one := func(to array.Builder) {
		to.(*array.Decimal256Builder).Append(decimal256.FromBigInt(big.NewInt(1_500_000_000)))
	} //nolint:forcetypeassert // It is.
	f.put(t, "a.parquet", parquetOf(t, wide, one))
	f.write(t, "a2.parquet", "SELECT 1::BIGINT AS id, 1.5::DOUBLE AS c, [1.5::DOUBLE] AS l") // of the same types for DuckDB
	const advice = `has the type DECIMAL(50,9), of which only 15 digits can be read; write it with at most 38 digits or as a string, or leave it out of the columns`
	for _, declared := range []sqlq.Column{
		column("c", sqlq.Numeric), column("c", sqlq.Float64), column("c", sqlq.String), column("C", sqlq.JSON), column("l", sqlq.ArrayOf(sqlq.Numeric)), column("l", sqlq.JSON),
	} {
		table := f.table("items", "parquet", "*.parquet", column("id", sqlq.Int64), declared)
		got := run(t.Context(), f.open(t, table), reading("SELECT count(*) AS n FROM items", table))
		assert.Contains(t, got, `INTERNAL the files of the table items cannot be read: "a.parquet": its column `, declared.Type)
		assert.Contains(t, got, advice, declared.Type)
		_, err := duckdb.DescribeFiles(t.Context(), sqlq.Tables{table})
		require.ErrorContains(t, err, advice)
	}
	_, err := duckdb.DescribeFiles(t.Context(), sqlq.Tables{f.table("items", "parquet", "a.parquet")})
	require.ErrorContains(t, err, advice)
	without := f.table("items", "parquet", "*.parquet", column("id", sqlq.Int64))
	assert.Equal(t, `{"n":4}`, run(t.Context(), f.open(t, without), reading("SELECT sum(id) AS n FROM items", without)))
	narrow := parquetOf(t, &arrow.Decimal128Type{Precision: 38, Scale: 9}, func(to array.Builder) { require.NoError(t, to.AppendValueFromString("1.5")) })
	f.put(t, "b/b.parquet", narrow)
	table := f.table("items", "parquet", "b/*.parquet", column("c", sqlq.Numeric))
	assert.Equal(t, `{"c":null} {"c":1.500000000}`, run(t.Context(), f.open(t, table), reading("FROM items", table)))
}

// DuckDB cuts the nanoseconds of INT96, so one that a TIMESTAMP does not hold is an error, and whatever it holds is read.
func TestParquetTimesOfInt96(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	nanos := &arrow.TimestampType{Unit: arrow.Nanosecond}
	for _, test := range []struct {
		nanoseconds int64
		want, wrong string
	}{
		{1_767_323_045_123_456_000, "2026-01-02 03:04:05.123456", ""},
		{0, "1970-01-01 00:00:00", ""},
		{-1_000, "1969-12-31 23:59:59.999999", ""},
		{-9_223_372_036_854_775_000, "1677-09-21 00:12:43.145225", ""},
		{9_223_372_036_854_775_000, "2262-04-11 23:47:16.854775", ""},
		{1_767_323_045_123_456_789, "", "2026-01-02 03:04:05.123456789"},
		{1, "", "1970-01-01 00:00:00.000000001"},
		{-1, "", "1969-12-31 23:59:59.999999999"},
	} {
		f.put(t, "a.parquet", parquetOf(t, nanos, func(to array.Builder) { to.(*array.TimestampBuilder).Append(arrow.Timestamp(test.nanoseconds)) })) //nolint:forcetypeassert // It is.
		for _, declared := range []sqlq.Column{column("c", sqlq.Timestamp), column("c", sqlq.Datetime), column("c", sqlq.JSON), column("l", sqlq.ArrayOf(sqlq.Timestamp))} {
			table := f.table("items", "parquet", "a.parquet", column("id", sqlq.Int64), declared)
			got := run(t.Context(), f.open(t, table), reading("SELECT "+declared.Name+" AS v FROM items WHERE id = 2", table))
			if test.wrong == "" {
				assert.Contains(t, got, test.want, "%d as %s", test.nanoseconds, declared.Type)
				continue
			}
			assert.Contains(t, got, `"a.parquet": its column `+declared.Name+` has the value "`+test.wrong+`", which `+string(declared.Type)+" cannot hold exactly")
		}
		without := f.table("items", "parquet", "a.parquet", column("id", sqlq.Int64))
		assert.Equal(t, `{"n":3}`, run(t.Context(), f.open(t, without), reading("SELECT sum(id) AS n FROM items", without)))
	}
}
