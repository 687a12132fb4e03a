package functions

import (
	"database/sql/driver"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq/googlesql/googletext"
)

// textFunctions are functions of texts, and of the bytes of addresses.
func textFunctions() []rowFunction {
	text, blob, number := duckdb.TYPE_VARCHAR, duckdb.TYPE_BLOB, duckdb.TYPE_BIGINT
	var matcher googletext.Matcher
	return []rowFunction{
		ofTexts("normalized_text", 2, text, func(of []string) (any, error) { return googletext.Normalize(of[0], of[1]), nil }),
		ofTexts("folded_text", 2, text, func(of []string) (any, error) { return googletext.NormalizeAndCasefold(of[0], of[1]), nil }),
		ofTexts("soundex_code", 1, text, func(of []string) (any, error) { return googletext.Soundex(of[0]), nil }),
		ofTexts("capitalized", 2, text, func(of []string) (any, error) { return googletext.InitCap(of[0], of[1]), nil }),
		ofTexts("ip_bytes", 1, blob, func(of []string) (any, error) {
			if address := googletext.IPFromString(of[0]); address != nil {
				return address, nil
			}
			return nil, nil // NULL
		}),
		ofTexts("from_base32", 1, blob, func(of []string) (any, error) { return googletext.FromBase32(of[0]) }),
		ofTexts("regexp_all", 2, text, func(of []string) (any, error) { return matcher.All(of[0], of[1]) }),
		ofValues("regexp_nth", []duckdb.Type{text, text, number, number}, text, func(of arguments) (any, error) {
			found, err := matcher.Nth("REGEXP_EXTRACT", of.text(0), of.text(1), of.number(2), of.number(3))
			if err != nil || found == nil || found.Start == 0 {
				return nil, err
			}
			return found.Text, nil
		}),
		ofValues("regexp_position", []duckdb.Type{text, text, number, number, number}, number, func(of arguments) (any, error) {
			return matcher.Position(of.text(0), of.text(1), of.number(2), of.number(3), of.number(4))
		}),
		ofValues("edit_distance", []duckdb.Type{text, text, number}, number, func(of arguments) (any, error) {
			return googletext.EditDistance(of.text(0), of.text(1), of.number(2))
		}),
		ofValues("edit_distance_of_bytes", []duckdb.Type{blob, blob, number}, number, func(of arguments) (any, error) {
			return googletext.EditDistanceOfBytes(of.bytes(0), of.bytes(1), of.number(2))
		}),
		ofTexts("quoted_text", 1, text, func(of []string) (any, error) { return googletext.Quote(of[0]), nil }),
		ofValues("quoted_bytes", []duckdb.Type{blob}, text, func(of arguments) (any, error) { return googletext.QuoteBytes(of.bytes(0)), nil }),
		ofInterval("interval_months", func(of googletext.Interval) int64 { return of.Months }),
		ofInterval("interval_days", func(of googletext.Interval) int64 { return of.Days }),
		ofInterval("interval_micros", func(of googletext.Interval) int64 { return of.Micros }),
		ofValues("to_base32", []duckdb.Type{blob}, text, func(of arguments) (any, error) { return googletext.ToBase32(of.bytes(0)), nil }),
		ofValues("ip_text", []duckdb.Type{blob}, text, func(of arguments) (any, error) { return googletext.IPToString(of.bytes(0)) }),
		ofValues("ip_mask", []duckdb.Type{number, number}, blob, func(of arguments) (any, error) {
			return googletext.IPNetMask(of.number(0), of.number(1))
		}),
		ofValues("ip_trunc", []duckdb.Type{blob, number}, blob, func(of arguments) (any, error) {
			return googletext.IPTrunc(of.bytes(0), of.number(1))
		}),
		ofValues("ipv4_bytes", []duckdb.Type{number}, blob, func(of arguments) (any, error) { return googletext.IPv4FromInt64(of.number(0)) }),
		ofValues("ipv4_number", []duckdb.Type{blob}, number, func(of arguments) (any, error) { return googletext.IPv4ToInt64(of.bytes(0)) }),
	}
}

// arguments are the arguments of a call, which have the types of the parameters.
type arguments []driver.Value

func (a arguments) text(i int) string { return a[i].(string) } //nolint:forcetypeassert // It has been checked.

func (a arguments) bytes(i int) []byte { return a[i].([]byte) } //nolint:forcetypeassert // It has been checked.

func (a arguments) number(i int) int64 { return a[i].(int64) } //nolint:forcetypeassert // It has been checked.

// ofValues returns a function of texts, bytes and numbers.
func ofValues(name string, params []duckdb.Type, result duckdb.Type, of func(of arguments) (any, error)) rowFunction {
	return rowFunction{name, params, result, func(args []driver.Value) (any, error) {
		for i, arg := range args {
			if typeOf(arg) != params[i] {
				return nil, errArguments
			}
		}
		return of(args)
	}}
}

// ofInterval returns a function of a part of the text of an interval.
func ofInterval(name string, part func(googletext.Interval) int64) rowFunction {
	return ofTexts(name, 1, duckdb.TYPE_BIGINT, func(of []string) (any, error) {
		parsed, err := googletext.ParseInterval(of[0])
		return part(parsed), err
	})
}

// typeOf returns the type of a value in DuckDB.
func typeOf(arg driver.Value) duckdb.Type {
	switch arg.(type) {
	case string:
		return duckdb.TYPE_VARCHAR
	case []byte:
		return duckdb.TYPE_BLOB
	case int64:
		return duckdb.TYPE_BIGINT
	case float64:
		return duckdb.TYPE_DOUBLE
	}
	return duckdb.TYPE_INVALID
}
