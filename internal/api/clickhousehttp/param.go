package clickhousehttp

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq"
)

// ParamTexts returns the value of a parameter as it is bound: texts, or nil for NULL. ClickHouse's clients send values with the escapes
// of TabSeparated, arrays such as ['a', 'b'], and some of them times in seconds since 1970.
func ParamTexts(typ sqlq.Type, text string) ([]string, error) {
	switch {
	case text == `\N`:
		return nil, nil
	case typ.IsArray():
		elements, ok := elementsOf(text)
		if !ok {
			return nil, failuref(badArguments, "%s is no array such as ['a', 'b']", sqlq.Quote(text))
		}
		for i, element := range elements {
			elements[i] = scalarText(typ.Element(), element)
		}
		return elements, nil
	}
	return []string{scalarText(typ, unescaped(text))}, nil
}

// sinceEpoch is a time in seconds since 1970.
var sinceEpoch = regexp.MustCompile(`^\d{1,11}(\.\d{1,9})?$`)

func scalarText(typ sqlq.Type, text string) string {
	switch {
	case typ == sqlq.Timestamp && sinceEpoch.MatchString(text):
		whole, fraction, _ := strings.Cut(text, ".")
		seconds, _ := strconv.ParseInt(whole, 10, 64)
		nanos, _ := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
		return time.Unix(seconds, nanos).UTC().Format(time.RFC3339Nano)
	case typ == sqlq.Bool && (text == "1" || text == "0"):
		return strconv.FormatBool(text == "1")
	}
	return text
}

// unescaped returns a text without the escapes of TabSeparated.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		i++
		if at := strings.IndexByte("bfnrt0", text[i]); at >= 0 {
			out.WriteByte("\b\f\n\r\t\x00"[at])
		} else {
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// elementsOf returns the elements of an array such as ['a', 'b'] or [1, 2], and reports whether a text is one.
func elementsOf(text string) (elements []string, ok bool) {
	text = strings.TrimSpace(text)
	inner, isOpen := strings.CutPrefix(text, "[")
	inner, isClosed := strings.CutSuffix(inner, "]")
	if !isOpen || !isClosed {
		return nil, false
	}
	elements = []string{}
	rest := strings.TrimSpace(inner)
	for rest != "" {
		length := strings.IndexByte(rest, ',')
		if length < 0 {
			length = len(rest)
		}
		element := strings.TrimSpace(rest[:length])
		if rest[0] == '\'' {
			end := 1
			for end < len(rest) && rest[end] != '\'' {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(rest) {
				return nil, false
			}
			element, length = unescaped(rest[1:end]), end+1
		} else if element == "" {
			return nil, false
		}
		elements = append(elements, element)
		rest = strings.TrimSpace(rest[length:])
		if rest == "" {
			return elements, true
		}
		more, isComma := strings.CutPrefix(rest, ",")
		rest = strings.TrimSpace(more)
		if !isComma || rest == "" {
			return nil, false
		}
	}
	return elements, true
}
