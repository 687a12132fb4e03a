package functions

import (
	"bytes"
	"database/sql/driver"
	"slices"

	"github.com/duckdb/duckdb-go/v2"
)

// bytesFunctions are functions of bytes that DuckDB has of texts only.
func bytesFunctions() []rowFunction {
	blob, number := duckdb.TYPE_BLOB, duckdb.TYPE_BIGINT
	return []rowFunction{
		ofBytes("reversed_bytes", 1, blob, func(of [][]byte) any {
			reversed := slices.Clone(of[0])
			slices.Reverse(reversed)
			return reversed
		}),
		ofBytes("bytes_position", 2, number, func(of [][]byte) any { return int64(bytes.Index(of[0], of[1]) + 1) }),
		ofBytes("replaced_bytes", 3, blob, func(of [][]byte) any { return bytes.ReplaceAll(of[0], of[1], of[2]) }),
		ofBytes("trimmed_left_bytes", 2, blob, func(of [][]byte) any { return trimmed(of[0], of[1], true, false) }),
		ofBytes("trimmed_right_bytes", 2, blob, func(of [][]byte) any { return trimmed(of[0], of[1], false, true) }),
		ofBytes("trimmed_bytes", 2, blob, func(of [][]byte) any { return trimmed(of[0], of[1], true, true) }),
	}
}

// trimmed removes bytes of a set from the ends.
func trimmed(of, set []byte, left, right bool) []byte {
	for left && len(of) > 0 && bytes.IndexByte(set, of[0]) >= 0 {
		of = of[1:]
	}
	for right && len(of) > 0 && bytes.IndexByte(set, of[len(of)-1]) >= 0 {
		of = of[:len(of)-1]
	}
	return of
}

// ofBytes returns a function of as many bytes.
func ofBytes(name string, count int, result duckdb.Type, of func(args [][]byte) any) rowFunction {
	params := slices.Repeat([]duckdb.Type{duckdb.TYPE_BLOB}, count)
	return rowFunction{name, params, result, func(args []driver.Value) (any, error) {
		parts := make([][]byte, len(args))
		for i, arg := range args {
			part, isBytes := arg.([]byte)
			if !isBytes {
				return nil, errArguments
			}
			parts[i] = part
		}
		return of(parts), nil
	}}
}
