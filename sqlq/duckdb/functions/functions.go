// Package functions adds functions to DuckDB that GoogleSQL has and DuckDB does not.
package functions

import (
	"context"
	"crypto/sha512"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/dgryski/go-farm"
	"github.com/duckdb/duckdb-go/v2"
)

// raisedPrefix begins the errors that callers may see, as those of translated SQL.
const raisedPrefix = "savedq: "

// Register adds the functions to the instance of DuckDB that a connection belongs to. All of its connections have
// them then. They are not stored in its file.
//
//   - farm_fingerprint(VARCHAR or BLOB) returns the fingerprint as BigQuery does, a BIGINT.
//
//   - sha512(VARCHAR or BLOB) returns hexadecimal digits, as DuckDB's sha256 does.
//
//   - valid_text(BLOB) returns the text of bytes, with U+FFFD for each byte that is not UTF-8.
//
//   - parsed_json(VARCHAR) and rounded_json(VARCHAR) return what PARSE_JSON makes of a text, or fail.
//
//   - changed_json(change, JSON, path, value, option), all VARCHAR, returns what [googlejson.Change] does.
//
//   - object_json(names, values), json_holds(JSON, part), flat_json(JSON) and key_paths_json(JSON, depth, mode), all of VARCHAR,
//     return what [googlejson.Object], [googlejson.Contains], [googlejson.Flatten] and [googlejson.Keys] do.
//
//   - attributes_json(JSON), a VARCHAR, returns log_attributes of metadata as a JSON object: paths and the texts of their values.
//
//   - numeric_moments(VARCHAR, BIGINT, HUGEINT[]) returns a statistic of sums; see [Limbs].
//
//   - json_number(DOUBLE) returns what [googlejson.FloatText] does.
//
//   - lax_bool, lax_int64, lax_float64, lax_string and is_exact_float64 of JSON, a VARCHAR, return what functions of the package
//     googlejson do, and pretty_json(VARCHAR) JSON in lines.
//
//   - reversed_bytes(BLOB), bytes_position(BLOB, part), replaced_bytes(BLOB, part, other) and trimmed_bytes(BLOB, set), which has
//     forms for the left and the right end, do with bytes what DuckDB does with texts.
//
//   - normalized_text(VARCHAR, form), folded_text, soundex_code(VARCHAR), capitalized(VARCHAR, delimiters), edit_distance(VARCHAR, VARCHAR,
//     most) and edit_distance_of_bytes, regexp_all(VARCHAR, pattern), regexp_nth and regexp_position, to_base32(BLOB), from_base32(VARCHAR),
//     ip_bytes(VARCHAR), ip_text(BLOB), ip_mask(length, prefix), ip_trunc(BLOB, prefix), ipv4_bytes(BIGINT), ipv4_number(BLOB), quoted_text(VARCHAR),
//     quoted_bytes(BLOB), interval_months(VARCHAR), interval_days and interval_micros do what functions of the package googletext do.
//
// NULL is NULL.
func Register(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	texts := []duckdb.Type{duckdb.TYPE_VARCHAR, duckdb.TYPE_BLOB}
	for _, added := range []struct {
		name   string
		params []duckdb.Type
		result duckdb.Type
		of     func(of []byte) (any, error)
	}{
		{"farm_fingerprint", texts, duckdb.TYPE_BIGINT, func(of []byte) (any, error) { return int64(farm.Fingerprint64(of)), nil }}, //nolint:gosec // BigQuery has the same bits.
		{"sha512", texts, duckdb.TYPE_VARCHAR, func(of []byte) (any, error) {
			sum := sha512.Sum512(of)
			return hex.EncodeToString(sum[:]), nil
		}},
		{"valid_text", texts[1:], duckdb.TYPE_VARCHAR, func(of []byte) (any, error) { return string([]rune(string(of))), nil }},
	} {
		var overloads []duckdb.ScalarFunc
		for _, param := range added.params {
			overload, err := newFunction(param, added.result, added.of)
			if err != nil {
				return err
			}
			overloads = append(overloads, overload)
		}
		if err := duckdb.RegisterScalarUDFSet(conn, added.name, overloads...); err != nil {
			return fmt.Errorf("add the function %s to DuckDB: %w", added.name, err)
		}
	}
	for _, added := range slices.Concat(jsonFunctions(), bytesFunctions(), textFunctions()) {
		if err := added.register(conn); err != nil {
			return err
		}
	}
	statistics, err := newMoments()
	if err == nil {
		err = duckdb.RegisterScalarUDF(conn, MomentsName, statistics)
	}
	if err != nil {
		return fmt.Errorf("add the function %s to DuckDB: %w", MomentsName, err)
	}
	return nil
}

// function is a function of a text or bytes.
type function struct {
	config duckdb.ScalarFuncConfig
	of     func(of []byte) (any, error)
}

func newFunction(param, result duckdb.Type, of func(of []byte) (any, error)) (*function, error) {
	paramType, err := duckdb.NewTypeInfo(param)
	if err != nil {
		return nil, err
	}
	resultType, err := duckdb.NewTypeInfo(result)
	if err != nil {
		return nil, err
	}
	return &function{duckdb.ScalarFuncConfig{InputTypeInfos: []duckdb.TypeInfo{paramType}, ResultTypeInfo: resultType}, of}, nil
}

func (f *function) Config() duckdb.ScalarFuncConfig { return f.config }

func (f *function) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(args []driver.Value) (any, error) {
		switch arg := args[0].(type) {
		case string:
			return f.of([]byte(arg))
		case []byte:
			return f.of(arg)
		default:
			return nil, fmt.Errorf("a %T is neither a text nor bytes", arg)
		}
	}}
}
