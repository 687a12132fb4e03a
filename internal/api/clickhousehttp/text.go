package clickhousehttp

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// appendFloat appends a number as ClickHouse writes it.
func appendFloat(dst []byte, number float64, bits int) []byte {
	switch {
	case math.IsNaN(number):
		return append(dst, "nan"...)
	case math.IsInf(number, 1):
		return append(dst, "inf"...)
	case math.IsInf(number, -1):
		return append(dst, "-inf"...)
	}
	form := byte('f')
	if size := math.Abs(number); size != 0 && (size < 1e-6 || size >= 1e21) {
		form = 'e'
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, number, form, -1, bits)
	if form == 'e' { // an exponent has no zeros and no plus before it
		text := string(dst[start:])
		mantissa, exponent, _ := strings.Cut(text, "e")
		sign := strings.TrimSuffix(exponent[:1], "+")
		return append(append(append(dst[:start], mantissa...), "e"+sign...), strings.TrimLeft(exponent[1:], "0")...)
	}
	return dst
}

// floatBits returns the width of a Float32 or a Float64.
func (t *dataType) floatBits() int {
	if t.name == "Float32" {
		return 32
	}
	return 64
}

// timeForm is how a time is written.
func (t *dataType) timeForm() string {
	switch {
	case t.name == "Date":
		return time.DateOnly
	case t.scale > 0:
		return time.DateTime + "." + strings.Repeat("0", t.scale)
	}
	return time.DateTime
}

// appendText appends a value as TabSeparated and CSV have it. within is true for a value in an array, a map or a tuple. escape writes a
// text that is not within one.
func (t *dataType) appendText(dst []byte, value any, within bool, escape func(dst []byte, text string) []byte) []byte {
	quote := func(text []byte) []byte {
		if !within {
			return escape(dst, string(text))
		}
		return appendQuoted(dst, string(text))
	}
	inner := func(typ *dataType, value any) { dst = typ.appendText(dst, value, true, escape) }
	switch value := value.(type) {
	case nil:
		return append(dst, map[bool]string{true: "NULL", false: `\N`}[within]...)
	case string:
		return quote([]byte(value))
	case int64:
		return strconv.AppendInt(dst, value, 10)
	case uint64:
		return strconv.AppendUint(dst, value, 10)
	case float64:
		return appendFloat(dst, value, t.floatBits())
	case bool:
		return strconv.AppendBool(dst, value)
	case time.Time:
		return quote(value.UTC().AppendFormat(nil, t.timeForm()))
	case []any:
		brackets := "[]"
		if t.name == "Tuple" {
			brackets = "()"
		}
		dst = append(dst, brackets[0])
		for i, one := range value {
			if i > 0 {
				dst = append(dst, ',')
			}
			inner(t.inner[min(i, len(t.inner)-1)], one)
		}
		return append(dst, brackets[1])
	case []entry:
		dst = append(dst, '{')
		for i, one := range value {
			if i > 0 {
				dst = append(dst, ',')
			}
			inner(t.inner[0], one.key)
			dst = append(dst, ':')
			inner(t.inner[1], one.value)
		}
		return append(dst, '}')
	}
	return dst
}

// appendQuoted appends a text in single quotes.
func appendQuoted(dst []byte, text string) []byte {
	return append(appendEscaped(append(dst, '\''), text), '\'')
}

// appendEscaped appends a text with the escapes of TabSeparated.
func appendEscaped(dst []byte, text string) []byte {
	for i := range len(text) {
		switch c := text[i]; c {
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		case 0:
			dst = append(dst, `\0`...)
		case '\\', '\'':
			dst = append(dst, '\\', c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// appendJSON appends a value as JSON. With quoteInts, whole numbers of 64 bits are strings.
func (t *dataType) appendJSON(dst []byte, value any, quoteInts bool) []byte {
	switch value := value.(type) {
	case nil:
		return append(dst, "null"...)
	case string:
		return appendJSONText(dst, value)
	case int64, uint64:
		bits, _, _ := t.bits()
		quote := ""
		if quoteInts && bits == 64 {
			quote = `"`
		}
		return append(t.appendText(append(dst, quote...), value, false, nil), quote...)
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return append(dst, "null"...)
		}
		return appendFloat(dst, value, t.floatBits())
	case bool:
		return strconv.AppendBool(dst, value)
	case time.Time:
		return append(value.UTC().AppendFormat(append(dst, '"'), t.timeForm()), '"')
	case []any:
		dst = append(dst, '[')
		for i, one := range value {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = t.inner[min(i, len(t.inner)-1)].appendJSON(dst, one, quoteInts)
		}
		return append(dst, ']')
	case []entry:
		dst = append(dst, '{')
		for i, one := range value {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = t.inner[0].appendKey(dst, one.key)
			dst = append(dst, ':')
			dst = t.inner[1].appendJSON(dst, one.value, quoteInts)
		}
		return append(dst, '}')
	}
	return dst
}

// appendKey appends the key of a map, which JSON has as a string.
func (t *dataType) appendKey(dst []byte, key any) []byte {
	if text, isText := key.(string); isText {
		return appendJSONText(dst, text)
	}
	return appendJSONText(dst, string(t.appendText(nil, key, false, func(dst []byte, text string) []byte { return append(dst, text...) })))
}

// appendJSONText appends a string of JSON with the escapes that ClickHouse writes.
func appendJSONText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i, r := range text {
		switch {
		case r == '"' || r == '\\' || r == '/':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\b':
			dst = append(dst, `\b`...)
		case r == '\f':
			dst = append(dst, `\f`...)
		case r < ' ':
			dst = append(dst, `\u00`...)
			dst = append(dst, "0123456789ABCDEF"[r>>4], "0123456789ABCDEF"[r&15])
		case r == utf8.RuneError:
			_, size := utf8.DecodeRuneInString(text[i:])
			if size == 1 {
				dst = append(dst, "\ufffd"...)
				continue
			}
			dst = append(dst, text[i:i+size]...)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
