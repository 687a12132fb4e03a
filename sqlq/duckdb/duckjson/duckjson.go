// Package duckjson mends the JSON that DuckDB writes.
package duckjson

import "bytes"

// ReplaceNonFinite puts null in the place of NaN and the infinities (D13), which
// DuckDB writes into its JSON although JSON has no such numbers.
func ReplaceNonFinite(text []byte) []byte {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text
	}
	output := make([]byte, 0, len(text)+len(text)/4)
	for len(text) > 0 {
		length := nonFiniteLength(text)
		switch {
		case length > 0:
			output = append(output, "null"...)
		case text[0] == '"':
			length = stringLength(text)
			output = append(output, text[:length]...)
		default:
			length = 1
			output = append(output, text[0])
		}
		text = text[length:]
	}
	return output
}

// nonFiniteLength returns the length of what is no JSON number at the start of a
// text; zero where there is none.
func nonFiniteLength(text []byte) int {
	for _, token := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(token)) {
			return len(token)
		}
	}
	return 0
}

// stringLength returns the length of the JSON string that a text begins with.
func stringLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
