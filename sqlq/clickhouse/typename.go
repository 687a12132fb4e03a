package clickhouse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
)

// valueType is a type of ClickHouse, such as Array(Tuple(a Nullable(Int64), b String)).
type valueType struct {
	// text is the whole type, and name what stands before its arguments.
	text, name string
	// nullable and lowCardinality are taken off the type.
	nullable bool
	// inner are the types in an Array, a Map or a Tuple, and fields the names of a Tuple's, if it has any.
	inner  []*valueType
	fields []string
	// scale belongs to a Decimal or a DateTime64; size, in bytes, to a FixedString or a Decimal.
	scale, size int
	// words are the texts of an Enum.
	words map[int64]string
}

// parseType reads a type.
func parseType(text string) (*valueType, error) {
	text = strings.TrimSpace(text)
	name, arguments := text, ""
	if at := strings.IndexByte(text, '('); at >= 0 && strings.HasSuffix(text, ")") {
		name, arguments = text[:at], text[at+1:len(text)-1]
	}
	t := &valueType{text: text, name: name}
	parts := splitArguments(arguments)
	switch name {
	case "Nullable", "LowCardinality":
		if len(parts) != 1 {
			return nil, fmt.Errorf("the type %s cannot be read", text)
		}
		inner, err := parseType(parts[0])
		if err != nil {
			return nil, err
		}
		inner.nullable = inner.nullable || name == "Nullable"
		return inner, nil
	case "Array", "Map", "Tuple", "Nested":
		return t, t.readInner(parts)
	case "Enum8", "Enum16":
		return t, t.readWords(parts)
	case "SimpleAggregateFunction": // SimpleAggregateFunction(sum, UInt64) has values of the second type
		if len(parts) == 2 {
			return parseType(parts[1])
		}
	}
	return t, t.readNumbers(parts)
}

// readInner reads the types in a type.
func (t *valueType) readInner(parts []string) error {
	for _, part := range parts {
		if t.name == "Tuple" || t.name == "Nested" {
			if name, rest, isNamed := cutField(part); isNamed {
				t.fields, part = append(t.fields, name), rest
			}
		}
		inner, err := parseType(part)
		if err != nil {
			return err
		}
		t.inner = append(t.inner, inner)
	}
	if want := map[string]int{"Array": 1, "Map": 2}[t.name]; want > 0 && len(t.inner) != want || len(t.fields) > 0 && len(t.fields) != len(t.inner) {
		return fmt.Errorf("the type %s cannot be read", t.text)
	}
	return nil
}

// cutField splits a field of a Tuple into its name and its type.
func cutField(part string) (name, rest string, isNamed bool) {
	part = strings.TrimSpace(part)
	if part != "" && part[0] == '`' {
		length := quotedLength(part)
		return unquote(part[:length]), part[length:], true
	}
	end := strings.IndexAny(part, " (")
	if end < 0 || part[end] == '(' {
		return "", part, false
	}
	return part[:end], part[end+1:], true
}

// readWords reads the texts of an Enum, such as 'a' = 1.
func (t *valueType) readWords(parts []string) error {
	t.words = make(map[int64]string, len(parts))
	for _, part := range parts {
		part = strings.TrimSpace(part)
		length := quotedLength(part)
		number, err := strconv.ParseInt(strings.Trim(part[length:], " ="), 10, 64)
		if err != nil {
			return fmt.Errorf("the type %s cannot be read", t.text)
		}
		t.words[number] = unquote(part[:length])
	}
	return nil
}

// readNumbers reads the numbers of a type.
func (t *valueType) readNumbers(parts []string) error {
	var numbers []int
	for _, part := range parts {
		if number, err := strconv.Atoi(strings.TrimSpace(part)); err == nil {
			numbers = append(numbers, number)
		}
	}
	switch {
	case t.name == "Decimal" && len(numbers) == 2:
		t.size, t.scale = decimalSize(numbers[0]), numbers[1]
	case t.name == "DateTime64" && len(numbers) == 1:
		t.scale = numbers[0]
	case t.name == "FixedString" && len(numbers) == 1:
		t.size = numbers[0]
	case t.name == "Decimal" || t.name == "DateTime64" || t.name == "FixedString":
		return fmt.Errorf("the type %s cannot be read", t.text)
	}
	return nil
}

// decimalSize returns how many bytes a Decimal of a precision has.
func decimalSize(precision int) int {
	for _, step := range []struct{ precision, size int }{{9, 4}, {18, 8}, {38, 16}} {
		if precision <= step.precision {
			return step.size
		}
	}
	return 32
}

// splitArguments splits the arguments of a type at its commas.
func splitArguments(text string) []string {
	var parts []string
	depth, start := 0, 0
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '(':
			depth++
		case ')':
			depth--
		case '\'', '`':
			at += quotedLength(text[at:]) - 1
		case ',':
			if depth == 0 {
				parts, start = append(parts, text[start:at]), at+1
			}
		}
	}
	if strings.TrimSpace(text[start:]) == "" {
		return parts
	}
	return append(parts, text[start:])
}

// quotedLength returns the length of the quoted text that a text begins with.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

// unquote returns a quoted text without its quotes.
func unquote(text string) string {
	if len(text) < 2 {
		return text
	}
	var plain strings.Builder
	for inner := text[1 : len(text)-1]; inner != ""; inner = inner[1:] {
		if inner[0] == '\\' && len(inner) > 1 {
			inner = inner[1:]
		}
		plain.WriteByte(inner[0])
	}
	return plain.String()
}

// planned returns a column of the type.
func (t *valueType) planned(name string) sqlq.PlannedColumn {
	column := sqlq.PlannedColumn{Name: name, Type: t.text, Big: t.hasMoreDigits()}
	switch {
	case t.name == "Array":
		column.Element = new(t.inner[0].planned(""))
	case t.name == "Tuple" && len(t.fields) > 0:
		for i, inner := range t.inner {
			column.Fields = append(column.Fields, inner.planned(t.fields[i]))
		}
	}
	return column
}

// hasMoreDigits reports whether numbers can have more digits than a NUMERIC.
func (t *valueType) hasMoreDigits() bool {
	switch t.name {
	case "Int128", "UInt128", "Int256", "UInt256":
		return true
	case "Decimal":
		return t.size > 16 || t.scale > sqlq.NumericScale
	}
	return false
}

// isInteger reports whether a type has integers.
func isInteger(name string) bool {
	return strings.HasPrefix(name, "Int") && name != "IntervalDay" || strings.HasPrefix(name, "UInt")
}

// holds reports whether a declared type, neither an array nor a struct, can hold ClickHouse's type. ClickHouse's
// comparisons are a UInt8.
func holds(declared sqlq.Type, column sqlq.PlannedColumn, _ bool) bool {
	actual, err := parseType(column.Type)
	if err != nil || !readable(actual) {
		return false
	}
	wide := []string{"Int128", "UInt128", "Int256", "UInt256"}
	name, isNothing := actual.name, actual.name == "Nothing"
	switch declared { //nolint:exhaustive // The others are nested.
	case sqlq.String:
		return isNothing || slices.Contains([]string{"String", "FixedString", "UUID", "Enum8", "Enum16", "IPv4", "IPv6", "Decimal", "Date", "Date32"}, name)
	case sqlq.Int64:
		return isNothing || isInteger(name) && !slices.Contains(wide, name)
	case sqlq.Float64:
		return isNothing || isInteger(name) || name == "Float32" || name == "Float64" || name == "Decimal"
	case sqlq.Numeric:
		return isNothing || isInteger(name) || name == "Decimal"
	case sqlq.Bool:
		return isNothing || name == "Bool" || name == "UInt8"
	case sqlq.Timestamp, sqlq.Datetime:
		return isNothing || name == "DateTime" || name == "DateTime64"
	case sqlq.Date:
		return isNothing || name == "Date" || name == "Date32"
	case sqlq.JSON:
		return true
	}
	return false
}

// Declare returns the declared type for a column of the SQL, which [Engine.Check] then accepts. Whatever has no type of its
// own is JSON, with all that it is nested in.
func Declare(column sqlq.PlannedColumn) sqlq.Column {
	return sqlq.DeclareColumn(column, scalarOf, holds)
}

// scalarOf returns the declared type for a type of ClickHouse that is not nested.
func scalarOf(actual string) sqlq.Type {
	parsed, err := parseType(actual)
	if err != nil {
		return sqlq.JSON
	}
	switch name := parsed.name; name {
	case "Float32", "Float64":
		return sqlq.Float64
	case "Decimal", "Int128", "UInt128", "Int256", "UInt256":
		return sqlq.Numeric
	case "Bool":
		return sqlq.Bool
	case "DateTime", "DateTime64":
		return sqlq.Timestamp
	case "Date", "Date32":
		return sqlq.Date
	case "String", "FixedString", "UUID", "Enum8", "Enum16", "IPv4", "IPv6", "Nothing":
		return sqlq.String
	default:
		if isInteger(name) {
			return sqlq.Int64
		}
	}
	return sqlq.JSON
}
