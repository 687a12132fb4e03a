package googlesql

import (
	"slices"
	"strings"

	"savedq/sqlq"
)

// kind is what a type is, without its elements and fields.
type kind int

const (
	nullKind kind = iota // the type of NULL, which converts to any other
	boolKind
	int64Kind
	numericKind
	float64Kind
	// numberKind is a number of metadata: INT64 or FLOAT64 as the table of the warehouse has it (D39).
	numberKind
	stringKind
	bytesKind
	dateKind
	datetimeKind
	timeKind
	timestampKind
	intervalKind
	jsonKind
	arrayKind
	structKind
	// dynamicKind is a value of metadata, whose use decides what it is (D39).
	dynamicKind
)

// String is the name of a type without elements and fields in GoogleSQL.
func (k kind) String() string {
	return [...]string{
		nullKind: "NULL", boolKind: "BOOL", int64Kind: "INT64", numericKind: "NUMERIC", float64Kind: "FLOAT64", numberKind: "FLOAT64",
		stringKind: "STRING", bytesKind: "BYTES", dateKind: "DATE", datetimeKind: "DATETIME", timeKind: "TIME", timestampKind: "TIMESTAMP",
		intervalKind: "INTERVAL", jsonKind: "JSON", arrayKind: "ARRAY", structKind: "STRUCT", dynamicKind: "a field of metadata",
	}[k]
}

// dataType is the type of a value.
type dataType struct {
	kind   kind
	elem   *dataType // of an array
	fields []field   // of a struct
	shape  *shape    // of a value of metadata
}

type field struct {
	name string
	typ  *dataType
}

func scalar(k kind) *dataType { return &dataType{kind: k} }

func arrayOf(elem *dataType) *dataType { return &dataType{kind: arrayKind, elem: elem} }

// String is the name of the type in GoogleSQL.
func (t *dataType) String() string {
	switch t.kind { //nolint:exhaustive // The others have names.
	case arrayKind:
		return "ARRAY<" + t.elem.String() + ">"
	case structKind:
		fields := each(t.fields, func(_ int, f field) string { return strings.TrimSpace(f.name + " " + f.typ.String()) })
		return "STRUCT<" + strings.Join(fields, ", ") + ">"
	}
	return t.kind.String()
}

// fieldName is the name of a field or a column where each needs one.
func fieldName(name string, index int) string {
	if name == "" {
		return "_field_" + itoa(index+1)
	}
	return name
}

// checkFields fails for a struct that engines do not have: without fields, with two of the same name, or with too many.
func (t *dataType) checkFields(at place) {
	if len(t.fields) == 0 {
		fail(at, "a struct without fields is not supported; give it one, as in STRUCT(NULL AS x)")
	}
	names := make(map[string]bool)
	for i, f := range t.fields {
		name := foldName(fieldName(f.name, i))
		if names[name] {
			fail(at, "a struct with two fields named %s is not supported; give one another name", f.name)
		}
		names[name] = true
	}
	if t.size(mostFields) > mostFields {
		fail(at, "a struct has at most %d fields, with those of the structs in it", mostFields)
	}
}

// mostFields limits the fields of a struct at all depths, which WITH in an expression can double again and again.
const mostFields = 10_000

// size returns how many fields a type has at all depths, or some number above most.
func (t *dataType) size(most int) int {
	if t.kind == arrayKind {
		return t.elem.size(most)
	}
	fields := 0
	for _, f := range t.fields {
		if fields += 1 + f.typ.size(most-fields); fields > most {
			break
		}
	}
	return fields
}

func (t *dataType) is(kinds ...kind) bool {
	return slices.Contains(kinds, t.kind)
}

func (t *dataType) isNumeric() bool { return t.is(int64Kind, numericKind, float64Kind, numberKind) }

// isMade reports whether values of a type take memory of their own.
func (t *dataType) isMade() bool { return t.is(stringKind, bytesKind, jsonKind, arrayKind, structKind) }

// equal reports whether two types are the same. Names of fields do not count.
func (t *dataType) equal(other *dataType) bool {
	if t.kind != other.kind || len(t.fields) != len(other.fields) {
		return false
	}
	switch t.kind { //nolint:exhaustive // The others have no parts.
	case arrayKind:
		return t.elem.equal(other.elem)
	case dynamicKind:
		return t.shape.root() == other.shape.root()
	}
	for i := range t.fields {
		if !t.fields[i].typ.equal(other.fields[i].typ) {
			return false
		}
	}
	return true
}

// isNamedAs reports whether the fields of a type, at all depths, have the same names as the fields of another one.
func (t *dataType) isNamedAs(other *dataType) bool {
	if t.kind == arrayKind && other.kind == arrayKind {
		return t.elem.isNamedAs(other.elem)
	}
	return slices.EqualFunc(t.fields, other.fields, func(a, b field) bool { return equalFold(a.name, b.name) && a.typ.isNamedAs(b.typ) })
}

// typeNames returns the names that a CAST takes.
func typeNames() map[string]kind {
	return map[string]kind{
		"BOOL": boolKind, "BOOLEAN": boolKind, "INT64": int64Kind, "INT": int64Kind, "SMALLINT": int64Kind, "INTEGER": int64Kind,
		"BIGINT": int64Kind, "TINYINT": int64Kind, "BYTEINT": int64Kind, "NUMERIC": numericKind, "DECIMAL": numericKind,
		"FLOAT64": float64Kind, "STRING": stringKind, "BYTES": bytesKind, "DATE": dateKind, "DATETIME": datetimeKind,
		"TIME": timeKind, "TIMESTAMP": timestampKind, "INTERVAL": intervalKind, "JSON": jsonKind,
		"TEXT": stringKind, // as some clients write it behind ::
	}
}

// of returns the type of a written one.
func (t *typeExpr) of() *dataType {
	switch t.name {
	case "ARRAY":
		if len(t.args) != 1 {
			fail(t.place, "ARRAY needs the type of its elements: ARRAY<STRING>")
		}
		return arrayOf(t.args[0].of())
	case "STRUCT":
		typ := &dataType{kind: structKind, fields: each(t.args, func(i int, arg typeExpr) field { return field{t.names[i], arg.of()} })}
		typ.checkFields(t.place)
		return typ
	}
	t.checkNumeric()
	k, ok := typeNames()[t.name]
	if !ok {
		fail(t.place, "type %s is not supported%s", t.name, didYouMean(t.name, keys(typeNames())))
	}
	if len(t.params) > 0 {
		fail(t.place, "type %s with a length is not supported; cast to %[1]s, and cut it with LEFT", t.name)
	}
	return scalar(k)
}

// declared returns the type of a declared column or parameter.
func declared(t sqlq.Type, fields []sqlq.Column) *dataType {
	if t.IsArray() {
		return arrayOf(declared(t.Element(), fields))
	}
	if t == sqlq.Struct {
		return &dataType{kind: structKind, fields: each(fields, func(_ int, f sqlq.Column) field { return field{f.Name, declared(f.Type, f.Fields)} })}
	}
	return scalar(typeNames()[string(t)])
}

// isEarlier reports whether values of a type are converted to another one, of which each is a time with a date.
func isEarlier(a, b *dataType) bool {
	return a.is(dateKind) && b.is(datetimeKind, timestampKind) || a.is(datetimeKind) && b.is(timestampKind)
}

// supertype returns the type that values of both types convert to without a cast; nil if there is none.
func supertype(a, b *dataType) *dataType {
	switch {
	case a.equal(b), b.kind == nullKind:
		return a
	case a.kind == nullKind:
		return b
	case a.kind == dynamicKind && b.kind == dynamicKind:
		a.shape.unify(b.shape)
		return a
	case a.kind == dynamicKind && b.kind == int64Kind, b.kind == dynamicKind && a.kind == int64Kind:
		return scalar(numberKind) // the field can hold fractions
	case a.kind == dynamicKind:
		return b
	case b.kind == dynamicKind:
		return a
	case a.isNumeric() && b.isNumeric():
		return scalar(max(a.kind, b.kind)) // they are in the order in which they convert
	case a.kind == arrayKind && b.kind == arrayKind:
		if elem := supertype(a.elem, b.elem); elem != nil {
			return arrayOf(elem)
		}
	case a.kind == structKind && b.kind == structKind && len(a.fields) == len(b.fields):
		both := &dataType{kind: structKind}
		for i := range a.fields {
			typ := supertype(a.fields[i].typ, b.fields[i].typ)
			if typ == nil {
				return nil
			}
			both.fields = append(both.fields, field{a.fields[i].name, typ})
		}
		return both
	case isEarlier(a, b):
		return b
	case isEarlier(b, a):
		return a
	}
	return nil
}
