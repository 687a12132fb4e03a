package clickhousehttp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq/clickhousesql"
)

// dataType is a type of ClickHouse, of a column or within one.
type dataType struct {
	// name is the type without what is in parentheses, and written the whole one.
	name, written string
	nullable      bool
	// scale is how many digits of a second a DateTime64 has.
	scale int
	inner []*dataType
}

// typeOf reads a type as [clickhousesql.Description] has it.
func typeOf(written string) (*dataType, error) {
	name, rest, hasInner := strings.Cut(written, "(")
	t := &dataType{name: name, written: written}
	if !hasInner {
		return t, nil
	}
	rest = strings.TrimSuffix(rest, ")")
	if name == "DateTime64" {
		digits, _, _ := strings.Cut(rest, ",")
		scale, err := strconv.Atoi(digits)
		t.scale = scale
		return t, err
	}
	for _, one := range clickhousesql.SplitTypes(rest) {
		inner, err := typeOf(one)
		if err != nil {
			return nil, err
		}
		t.inner = append(t.inner, inner)
	}
	if name == "Nullable" {
		inner := *t.inner[0]
		inner.nullable, inner.written = true, written
		return &inner, nil
	}
	return t, nil
}

// bits returns the width of a number, and whether it is a whole number with a sign.
func (t *dataType) bits() (bits int, signed, isInt bool) {
	digits, isUnsigned := strings.CutPrefix(t.name, "UInt")
	if !isUnsigned {
		if digits, signed = strings.CutPrefix(t.name, "Int"); !signed {
			return 0, false, false
		}
	}
	bits, err := strconv.Atoi(digits)
	return bits, signed, err == nil
}

// entry is an entry of a Map.
type entry struct{ key, value any }

// valueOf returns a value of a result as the encodings take it: nil, string, int64 or, of a UInt64, uint64; float64, bool, time.Time,
// []any for an Array or a Tuple, or []entry for a Map.
func (t *dataType) valueOf(value any) (any, error) {
	switch value := value.(type) {
	case nil:
		return t.absent()
	case json.RawMessage:
		return t.ofJSON(value)
	case json.Number:
		return t.ofNumber(value.String())
	case string:
		return t.ofText(value)
	case float64:
		if math.IsNaN(value) {
			return nan(), nil
		}
		return value, nil
	case time.Time:
		return value, nil
	case bool:
		if t.name != "Bool" {
			return map[bool]int64{true: 1}[value], nil
		}
		return value, nil
	case int64:
		if t.name == "UInt64" {
			return uint64(value), nil //nolint:gosec // The engine returns the same bits.
		}
		return value, nil
	case []any:
		return t.ofList(value)
	}
	return nil, fmt.Errorf("a %T is no %s", value, t.written)
}

// absent is NULL. JSON has it for numbers that are none, too.
func (t *dataType) absent() (any, error) {
	switch {
	case t.nullable || t.name == "Nothing":
		return nil, nil //nolint:nilnil // It is NULL.
	case strings.HasPrefix(t.name, "Float"):
		return nan(), nil
	}
	return nil, fmt.Errorf("NULL is no %s", t.written)
}

// nan is NaN with the bits that ClickHouse has for it; Go has others.
func nan() float64 {
	const bits = 0x7ff8000000000000
	return math.Float64frombits(bits)
}

func (t *dataType) ofText(text string) (any, error) {
	switch {
	case t.name == "Date":
		return time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))])
	case strings.HasPrefix(t.name, "DateTime"):
		text = strings.TrimSuffix(strings.Replace(text, "T", " ", 1), "Z")
		return time.Parse(time.DateTime, text)
	case t.name == "String" || t.name == "Nothing":
		return text, nil
	}
	return t.ofNumber(text)
}

func (t *dataType) ofNumber(text string) (any, error) {
	bits, signed, isInt := t.bits()
	switch {
	case isInt && !signed && bits == 64:
		return strconv.ParseUint(text, 10, 64)
	case isInt:
		return strconv.ParseInt(text, 10, 64)
	case t.name == "String":
		return text, nil
	}
	return strconv.ParseFloat(text, 64)
}

func (t *dataType) ofList(values []any) (any, error) {
	list := make([]any, len(values))
	for i, value := range values {
		inner := t.inner[0]
		if t.name == "Tuple" {
			if len(values) != len(t.inner) {
				return nil, fmt.Errorf("%d values are no %s", len(values), t.written)
			}
			inner = t.inner[i]
		}
		var err error
		if list[i], err = inner.valueOf(value); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ofJSON reads an Array, a Tuple or a Map, whose entries keep their order.
func (t *dataType) ofJSON(text []byte) (any, error) {
	if t.name != "Map" {
		decoder := json.NewDecoder(bytes.NewReader(text))
		var list []json.RawMessage
		if err := decoder.Decode(&list); err != nil {
			return nil, err
		}
		values := make([]any, len(list))
		for i, one := range list {
			var err error
			if values[i], err = plainJSON(one); err != nil {
				return nil, err
			}
		}
		return t.ofList(values)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	entries := []entry{}
	if _, err := decoder.Token(); err != nil { // the brace
		return nil, err
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, err
		}
		plain, err := plainJSON(raw)
		if err != nil {
			return nil, err
		}
		one := entry{}
		if one.key, err = t.inner[0].valueOf(key); err != nil {
			return nil, err
		}
		if one.value, err = t.inner[1].valueOf(plain); err != nil {
			return nil, err
		}
		entries = append(entries, one)
	}
	return entries, nil
}

// plainJSON returns a text, a number, a bool or nil. Lists and objects stay JSON.
func plainJSON(raw json.RawMessage) (any, error) {
	if len(raw) > 0 && (raw[0] == '[' || raw[0] == '{') {
		return raw, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var plain any
	err := decoder.Decode(&plain)
	return plain, err
}
