package clickhousesql

import (
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
)

type kind int

const (
	nothingKind kind = iota // of NULL
	stringKind
	intKind
	floatKind
	boolKind
	dateKind
	timeKind
	arrayKind
	mapKind
	tupleKind
	intervalKind
	lambdaKind
)

// dataType is a type of ClickHouse.
type dataType struct {
	kind kind
	// bits is the width of a number, which has a sign if signed.
	bits   int
	signed bool
	// scale is how many digits of a second a DateTime64 has, and -1 for a DateTime.
	scale    int
	nullable bool
	// inner are the types of the elements of an array, or a tuple, or of the keys and values of a map.
	inner []*dataType
}

const wholeSeconds = -1

func stringType() *dataType { return &dataType{kind: stringKind} }

func floatType() *dataType { return &dataType{kind: floatKind, bits: 64} }

func intType(bits int, signed bool) *dataType {
	return &dataType{kind: intKind, bits: bits, signed: signed}
}

// flagType is the type of comparisons.
func flagType() *dataType { return intType(8, false) }

func countType() *dataType { return intType(64, false) }

func dateType() *dataType { return &dataType{kind: dateKind} }

func dateTimeType() *dataType { return &dataType{kind: timeKind, scale: wholeSeconds} }

func momentType(scale int) *dataType { return &dataType{kind: timeKind, scale: scale} }

func arrayOf(elem *dataType) *dataType { return &dataType{kind: arrayKind, inner: []*dataType{elem}} }

func attributesType() *dataType {
	return &dataType{kind: mapKind, inner: []*dataType{stringType(), stringType()}}
}

// orNull returns the type with NULL, which arrays, maps and tuples do not have.
func (t *dataType) orNull(nullable bool) *dataType {
	if !nullable || t.nullable || slices.Contains([]kind{arrayKind, mapKind, tupleKind}, t.kind) {
		return t
	}
	with := *t
	with.nullable = true
	return &with
}

func (t *dataType) notNull() *dataType {
	without := *t
	without.nullable = false
	return &without
}

func (t *dataType) is(kinds ...kind) bool { return slices.Contains(kinds, t.kind) }

func (t *dataType) isNumber() bool { return t.is(intKind, floatKind, boolKind) }

func (t *dataType) isTime() bool { return t.is(dateKind, timeKind) }

func (t *dataType) elem() *dataType { return t.inner[0] }

func (t *dataType) String() string {
	if t.nullable {
		return "Nullable(" + t.notNull().String() + ")"
	}
	inner := make([]string, len(t.inner))
	for i, one := range t.inner {
		inner[i] = one.String()
	}
	switch t.kind {
	case nothingKind:
		return "Nothing"
	case stringKind:
		return "String"
	case intKind:
		if t.signed {
			return "Int" + strconv.Itoa(t.bits)
		}
		return "UInt" + strconv.Itoa(t.bits)
	case floatKind:
		return "Float" + strconv.Itoa(t.bits)
	case boolKind:
		return "Bool"
	case dateKind:
		return "Date"
	case timeKind:
		if t.scale == wholeSeconds {
			return "DateTime"
		}
		return "DateTime64(" + strconv.Itoa(t.scale) + ")"
	case arrayKind:
		return "Array(" + inner[0] + ")"
	case mapKind:
		return "Map(" + strings.Join(inner, ", ") + ")"
	case tupleKind:
		return "Tuple(" + strings.Join(inner, ", ") + ")"
	case intervalKind:
		return "Interval"
	case lambdaKind:
		return "lambda"
	}
	return "?"
}

// duck is DuckDB's type of values.
func (t *dataType) duck() string {
	switch t.kind {
	case intKind:
		if t.bits == 64 && !t.signed {
			return "UBIGINT"
		}
		return "BIGINT"
	case floatKind:
		return "DOUBLE"
	case boolKind:
		return "BOOLEAN"
	case dateKind:
		return "DATE"
	case timeKind:
		return "TIMESTAMP"
	case arrayKind:
		return t.elem().duck() + "[]"
	case mapKind:
		return "MAP(" + t.inner[0].duck() + ", " + t.inner[1].duck() + ")"
	case tupleKind:
		fields := make([]string, len(t.inner))
		for i, one := range t.inner {
			fields[i] = "f" + strconv.Itoa(i+1) + " " + one.duck()
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	case nothingKind, stringKind, intervalKind, lambdaKind:
	}
	return "VARCHAR"
}

// zero is the value that ClickHouse has for none, in DuckDB's SQL.
func (t *dataType) zero() string {
	switch {
	case t.nullable || t.kind == nothingKind:
		return "NULL"
	case t.kind == stringKind:
		return "''"
	case t.kind == boolKind:
		return "false"
	case t.kind == dateKind:
		return "DATE '1970-01-01'"
	case t.kind == timeKind:
		return "TIMESTAMP '1970-01-01 00:00:00'"
	case t.kind == arrayKind:
		return "CAST([] AS " + t.duck() + ")"
	case t.kind == mapKind:
		return "CAST(MAP {} AS " + t.duck() + ")"
	case t.kind == tupleKind:
		fields := make([]string, len(t.inner))
		for i, one := range t.inner {
			fields[i] = "f" + strconv.Itoa(i+1) + " := " + one.zero()
		}
		return "struct_pack(" + strings.Join(fields, ", ") + ")"
	}
	return "0::" + t.duck()
}

// declared is the type of a column of a result, or of a parameter.
func (t *dataType) declared() sqlq.Type {
	switch t.kind {
	case intKind:
		return sqlq.Int64
	case floatKind:
		return sqlq.Float64
	case boolKind:
		return sqlq.Bool
	case dateKind:
		return sqlq.Date
	case timeKind:
		return sqlq.Timestamp
	case arrayKind:
		if inner := t.elem(); !inner.is(arrayKind, mapKind, tupleKind) && !inner.nullable {
			return sqlq.ArrayOf(inner.declared())
		}
		return sqlq.JSON
	case mapKind, tupleKind:
		return sqlq.JSON
	case nothingKind, stringKind, intervalKind, lambdaKind:
	}
	return sqlq.String
}

// typeWords are the names of types, in small letters. Those of other databases stand for them.
var typeWords = map[string]*dataType{ //nolint:gochecknoglobals // It is constant.
	"string": stringType(), "text": stringType(), "varchar": stringType(), "char": stringType(), "uuid": stringType(),
	"int8": intType(8, true), "int16": intType(16, true), "int32": intType(32, true), "int64": intType(64, true),
	"uint8": intType(8, false), "uint16": intType(16, false), "uint32": intType(32, false), "uint64": intType(64, false),
	"tinyint": intType(8, true), "smallint": intType(16, true), "int": intType(32, true), "integer": intType(32, true), "bigint": intType(64, true),
	"float32": {kind: floatKind, bits: 32}, "float64": floatType(), "float": {kind: floatKind, bits: 32}, "double": floatType(), "real": {kind: floatKind, bits: 32},
	"bool": {kind: boolKind}, "boolean": {kind: boolKind}, "date": dateType(), "date32": dateType(), "datetime": dateTimeType(), "timestamp": dateTimeType(), "datetime32": dateTimeType(),
}

// parseType reads the name of a type.
func parseType(text string, at place) *dataType {
	text = strings.TrimSpace(text)
	name, arguments, hasArguments := strings.Cut(text, "(")
	lower := strings.ToLower(strings.TrimSpace(name))
	if !hasArguments {
		if found := typeWords[lower]; found != nil {
			return found
		}
		if lower == "datetime64" {
			return momentType(3)
		}
		fail(at, "the type %s is not supported%s", text, didYouMean(text, []string{"String", "Int64", "UInt64", "Float64", "DateTime", "DateTime64(6)", "Date", "Bool", "Array(String)"}))
	}
	arguments, closed := strings.CutSuffix(arguments, ")")
	if !closed {
		fail(at, "the type %s has no )", text)
	}
	inner := SplitTypes(arguments)
	types := func(n int) []*dataType {
		if n > 0 && len(inner) != n {
			fail(at, "the type %s takes %d types", name, n)
		}
		all := make([]*dataType, len(inner))
		for i, one := range inner {
			all[i] = parseType(one, at)
		}
		return all
	}
	switch lower {
	case "nullable":
		return types(1)[0].orNull(true)
	case "lowcardinality":
		return types(1)[0]
	case "array":
		return &dataType{kind: arrayKind, inner: types(1)}
	case "map":
		return &dataType{kind: mapKind, inner: types(2)}
	case "tuple":
		return &dataType{kind: tupleKind, inner: types(0)}
	case "datetime", "datetime32":
		checkZone(inner[0], at)
		return dateTimeType()
	case "datetime64":
		scale, err := strconv.Atoi(inner[0])
		if err != nil || scale < 0 || scale > 9 || len(inner) > 2 {
			fail(at, "DateTime64 takes the number of digits of a second, from 0 to 9, and a time zone")
		}
		if len(inner) == 2 {
			checkZone(inner[1], at)
		}
		return momentType(scale)
	case "varchar", "char", "fixedstring":
		if lower != "fixedstring" {
			return stringType()
		}
	}
	fail(at, "the type %s is not supported", text)
	return nil
}

// checkZone fails for another time zone than UTC.
func checkZone(text string, at place) {
	zone := strings.Trim(strings.TrimSpace(text), "'")
	if !slices.Contains([]string{"UTC", "Etc/UTC", "GMT", "Z"}, zone) {
		fail(at, "the time zone %s is not supported; times are in UTC", zone)
	}
}

// SplitTypes splits the arguments of a type at commas.
func SplitTypes(text string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(text[start:i]))
				start = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

// common is the type that holds the values of both; nil if none does.
func common(a, b *dataType) *dataType {
	nullable := a.nullable || b.nullable
	switch {
	case a.kind == nothingKind:
		return b.orNull(a.nullable)
	case b.kind == nothingKind:
		return a.orNull(b.nullable)
	case a.kind == floatKind && b.isNumber() && b.kind != boolKind || b.kind == floatKind && a.isNumber() && a.kind != boolKind:
		return floatType().orNull(nullable)
	case a.is(intKind, boolKind) && b.is(intKind, boolKind) && a.kind != b.kind:
		if a.kind == boolKind {
			a = b
		}
		return a.orNull(nullable)
	case a.kind == intKind && b.kind == intKind:
		return commonInt(a, b, nullable)
	case a.isTime() && b.isTime() && a.kind != b.kind:
		if a.kind == dateKind {
			a = b
		}
		return a.orNull(nullable)
	case a.kind == timeKind && b.kind == timeKind:
		return momentType(max(a.scale, b.scale)).orNull(nullable)
	case a.kind != b.kind || len(a.inner) != len(b.inner):
		return nil
	}
	same := *a
	same.nullable = nullable
	same.inner = nil
	for i := range a.inner {
		inner := common(a.inner[i], b.inner[i])
		if inner == nil {
			return nil
		}
		same.inner = append(same.inner, inner)
	}
	return &same
}

func commonInt(a, b *dataType, nullable bool) *dataType {
	bits, signed := max(a.bits, b.bits), a.signed || b.signed
	if a.signed != b.signed {
		unsigned := a.bits
		if a.signed {
			unsigned = b.bits
		}
		if bits = max(bits, 2*unsigned); bits > 64 {
			bits = 64 // ClickHouse refuses it, unless a constant fits
		}
	}
	return intType(bits, signed).orNull(nullable)
}
