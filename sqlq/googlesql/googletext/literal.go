package googletext

import (
	"fmt"
	"strings"
)

// Quote returns a text as a constant of GoogleSQL.
func Quote(text string) string { return quoted(text, false) }

// QuoteBytes returns bytes as a constant of GoogleSQL.
func QuoteBytes(of []byte) string { return "b" + quoted(string(of), true) }

// quoted puts a text in double quotes, or in single ones if it has only double quotes.
func quoted(text string, isBytes bool) string {
	quote := byte('"')
	if strings.Contains(text, `"`) && !strings.Contains(text, "'") {
		quote = '\''
	}
	var out strings.Builder
	out.WriteByte(quote)
	for i := range len(text) {
		switch c := text[i]; {
		case c == quote || c == '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case !isBytes && strings.IndexByte("\n\r\t", c) >= 0:
			out.WriteString(map[byte]string{'\n': `\n`, '\r': `\r`, '\t': `\t`}[c])
		case c < ' ' || c == 0x7f || isBytes && c > 0x7f:
			fmt.Fprintf(&out, `\x%02x`, c)
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte(quote)
	return out.String()
}
