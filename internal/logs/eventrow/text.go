package eventrow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"savedq/internal/text/jsontext"
)

// scalarText returns the text of a value as DuckDB's json_value(…) ->> '$' has it: nil for null, an object and a list,
// and numbers in one spelling. It refers to the value where that is possible.
func scalarText(value jsontext.Value) json.RawMessage {
	if value == nil || value[0] == 'n' || value[0] == '{' || value[0] == '[' {
		return nil
	}
	return text(value)
}

// text returns the text of a value that is not null, as DuckDB's ->> has it.
func text(value jsontext.Value) json.RawMessage {
	switch value[0] {
	case '"':
		return unquoted(value)
	case '{', '[':
		return appendCompact(nil, value)
	case 't', 'f':
		return json.RawMessage(value)
	}
	return numberText(value)
}

// unquoted returns the text of a string, which refers to it unless it has escapes.
func unquoted(quoted jsontext.Value) json.RawMessage {
	if len(quoted) > 1 && bytes.IndexByte(quoted, '\\') < 0 {
		return json.RawMessage(quoted[1 : len(quoted)-1])
	}
	return json.RawMessage(jsontext.Unquote(quoted))
}

// numberText returns a number as DuckDB spells it. An integer stays as it is.
func numberText(number jsontext.Value) json.RawMessage {
	if !bytes.ContainsAny(number, ".eE") {
		if string(number) == "-0" {
			return json.RawMessage("0")
		}
		return json.RawMessage(number)
	}
	float, err := strconv.ParseFloat(string(number), 64)
	if err != nil { // it is too large, and stays as it is
		return json.RawMessage(number)
	}
	return doubleText(float)
}

// doubleText returns a number as the JSON library of DuckDB writes it: like JavaScript, but a whole number has ".0".
func doubleText(number float64) json.RawMessage {
	const firstFixed, lastFixed = -5, 21 // places of the point, counted from the first digit
	scientific := strconv.FormatFloat(number, 'e', -1, 64)
	mantissa, exponentText, _ := strings.Cut(scientific, "e")
	exponent, _ := strconv.Atoi(exponentText)
	switch point := exponent + 1; {
	case number == 0 || point >= firstFixed && point <= lastFixed:
		fixed := strconv.FormatFloat(number, 'f', -1, 64)
		if !strings.Contains(fixed, ".") {
			fixed += ".0"
		}
		return json.RawMessage(fixed)
	default:
		return json.RawMessage(mantissa + "e" + strconv.Itoa(exponent))
	}
}

// appendCompact appends JSON as DuckDB writes it.
func appendCompact(output []byte, value jsontext.Value) []byte {
	switch value[0] {
	case '[':
		output = append(output, '[')
		for element := range value.Elements() {
			output = append(appendCompact(output, element), ',')
		}
		return closed(output, ']')
	case '{':
		output = append(output, '{')
		for member := range value.Members() {
			output = appendQuoted(output, member.Name)
			output = append(appendCompact(append(output, ':'), member.Value), ',')
		}
		return closed(output, '}')
	case '"':
		return appendQuoted(output, jsontext.Unquote(value))
	case 't', 'f', 'n':
		return append(output, value...)
	}
	return append(output, numberText(value)...)
}

// closed replaces the comma after the last element by a bracket.
func closed(output []byte, bracket byte) []byte {
	return append(bytes.TrimSuffix(output, []byte(",")), bracket)
}

// appendQuoted appends a string in JSON with the escapes that DuckDB writes.
func appendQuoted(output []byte, text string) []byte {
	const short = "\b\f\n\r\t\"\\"
	output = append(output, '"')
	for _, char := range text {
		switch at := strings.IndexRune(short, char); {
		case at >= 0:
			output = append(output, '\\', `bfnrt"\`[at])
		case char < ' ':
			output = fmt.Appendf(output, `\u%04X`, char)
		default:
			output = utf8.AppendRune(output, char)
		}
	}
	return append(output, '"')
}
