package logfile

import "bytes"

// replaceNonFinite puts null in the place of NaN and the infinities (D13), which
// DuckDB writes into its JSON although JSON has no such numbers.
func replaceNonFinite(text []byte) []byte {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text
	}
	output := make([]byte, 0, len(text)+len(text)/4)
	var position nesting
	for len(text) > 0 {
		length, replaced := 1, text[:1]
		if !position.inString {
			for _, token := range []string{"NaN", "Infinity", "-Infinity"} {
				if bytes.HasPrefix(text, []byte(token)) {
					length, replaced = len(token), []byte("null")
				}
			}
		}
		if length == 1 {
			position.step(text[0])
		}
		text = text[length:]
		output = append(output, replaced...)
	}
	return output
}
