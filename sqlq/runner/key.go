package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq"
)

// keyPrefix returns the part of the cache keys of a saved query that does not depend on
// arguments: its id, a hash of its definition, and the engine.
func keyPrefix(query *sqlq.SavedQuery) string {
	hash := sha256.Sum256([]byte(definition(query)))
	return query.ID.String() + "/" + hex.EncodeToString(hash[:16]) + "/" + query.Engine
}

// definition spells out everything in a saved query that can change the rows or their
// meaning (D29), the SQL last, since it may have any form.
func definition(query *sqlq.SavedQuery) string {
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "max_rows %d\n", query.MaxRows)
	for _, param := range query.Params {
		_, _ = fmt.Fprintf(&text, "param %s %s\n", param.Name, param.Type)
	}
	writeColumns(&text, "column", query.Columns)
	writeSeries(&text, query.Series)
	writeTables(&text, query.Tables)
	text.WriteString("\n" + query.SQL)
	return text.String()
}

// writeColumns writes columns, each with the fields of its STRUCT after it.
func writeColumns(text *strings.Builder, kind string, columns []sqlq.Column) {
	for _, column := range columns {
		_, _ = fmt.Fprintf(text, "%s %s %s nullable=%t", kind, column.Name, column.Type, column.Nullable)
		if column.Big { // Parquet and Arrow have it in another type
			text.WriteString(" big")
		}
		text.WriteString("\n")
		writeColumns(text, kind+" of "+column.Name, column.Fields)
	}
}

// writeTables writes what authors declare about tables. Shipped ones are always the same.
func writeTables(text *strings.Builder, tables sqlq.Tables) {
	for _, table := range tables {
		if table.Shipped {
			continue
		}
		_, _ = fmt.Fprintf(text, "table %s %q\n", table.Name, table.Warehouse)
		for _, field := range table.Fields {
			_, _ = fmt.Fprintf(text, "field %s %s %q\n", field.Name, field.Type, field.Path)
		}
		if table.Files != nil {
			_, _ = fmt.Fprintf(text, "files %s %q\n", table.Files.Format, table.Files.Pattern)
			writeColumns(text, "column", table.Files.Columns)
		}
	}
}

// writeSeries writes what the bounds of a series follow from.
func writeSeries(text *strings.Builder, series *sqlq.Series) {
	if series == nil {
		return
	}
	_, _ = fmt.Fprintf(text, "series %d %d exact=%t endless=%t descending=%t\n", series.Column, series.Param, series.Exact, series.Endless, series.Descending)
	for _, value := range slices.Sorted(maps.Keys(series.Windows)) {
		_, _ = fmt.Fprintf(text, "window %q %s %s\n", value, series.Windows[value].Length, series.Windows[value].Bucket)
	}
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
