package googlesqltest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Text returns a value as cases write it, much as JSON: a FLOAT64 and a NUMERIC have a point or an exponent, bytes
// are b"…" in hexadecimal, and whatever else has a text is written as that.
func Text(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool, int64:
		return fmt.Sprint(value)
	case float64:
		text := strconv.FormatFloat(value, 'g', -1, 64)
		if !strings.ContainsAny(text, ".eIN") {
			text += ".0"
		}
		return text
	case *big.Rat:
		text := strings.TrimRight(value.FloatString(9), "0")
		if strings.HasSuffix(text, ".") {
			text += "0"
		}
		return text
	case []byte:
		return `b"` + hex.EncodeToString(value) + `"`
	case []any:
		parts := make([]string, len(value))
		for i, element := range value {
			parts[i] = Text(element)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(fmt.Sprint(value)); err != nil {
		panic(err) // it is a text
	}
	return strings.TrimSuffix(out.String(), "\n")
}
