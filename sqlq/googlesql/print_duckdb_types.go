package googlesql

import "strings"

// duck is the name of the type in DuckDB, which has TIMESTAMP for both times with a date, in UTC.
func (t *dataType) duck() string {
	switch t.kind { //nolint:exhaustive // The others have names.
	case arrayKind:
		return t.elem.duck() + "[]"
	case structKind:
		fields := each(t.fields, func(i int, f field) string { return quoteName(fieldName(f.name, i)) + " " + f.typ.duck() })
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	case dynamicKind:
		return t.shape.scalarType().duck()
	}
	return [...]string{
		nullKind: "VARCHAR", boolKind: "BOOLEAN", int64Kind: "BIGINT", numericKind: "DECIMAL(38, 9)", float64Kind: "DOUBLE", numberKind: "DOUBLE",
		stringKind: "VARCHAR", bytesKind: "BLOB", dateKind: "DATE", datetimeKind: "TIMESTAMP", timeKind: "TIME", timestampKind: "TIMESTAMP",
		intervalKind: "INTERVAL", jsonKind: "JSON",
	}[t.kind]
}
