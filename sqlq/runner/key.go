package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strconv"
	"time"

	"savedq/sqlq"
)

// keyPrefix returns the part of the cache keys of a saved query that does not depend on
// arguments: its id, a hash of its definition, and the engine.
func keyPrefix(query *sqlq.SavedQuery) string {
	hash := sha256.Sum256(appendDefinition(nil, reflect.ValueOf(*query)))
	return query.ID.String() + "/" + hex.EncodeToString(hash[:16]) + "/" + query.Engine
}

// argsSeparator is between the prefix of a key and the arguments. A prefix does not have it.
const argsSeparator = "?"

// appendArgs appends arguments to a key: names and values in declared order, texts
// quoted, so that no two lists of arguments have one spelling.
func appendArgs(key []byte, args []sqlq.Arg) []byte {
	separator := argsSeparator
	for _, arg := range args {
		key = append(key, separator...)
		key = append(key, arg.Name...)
		key = append(key, '=')
		key = appendArgValue(key, arg.Value)
		separator = "&"
	}
	return key
}

// KeyOfArgs returns the part of a key that has the arguments.
func KeyOfArgs(args []sqlq.Arg) string { return string(appendArgs(nil, args)) }

func appendArgValue(key []byte, value any) []byte {
	switch value := value.(type) {
	case string:
		return strconv.AppendQuote(key, value)
	case int64:
		return strconv.AppendInt(key, value, 10)
	case float64:
		return strconv.AppendFloat(key, value, 'g', -1, 64)
	case sqlq.Decimal:
		return append(key, value...)
	case bool:
		return strconv.AppendBool(key, value)
	case time.Time:
		return value.AppendFormat(key, time.RFC3339Nano)
	case sqlq.FromNow:
		return append(append(key, "now+"...), time.Duration(value).String()...)
	case []any:
		key = append(key, '[')
		for _, element := range value {
			key = append(appendArgValue(key, element), ',')
		}
		return append(key, ']')
	default: // nil: Bind gives nothing else
		return append(key, "NULL"...)
	}
}
