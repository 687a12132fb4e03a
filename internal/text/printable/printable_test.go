package printable_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/text/printable"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "",
		"plain, é 😀\n\ttext\r\n":      "plain, é 😀\n\ttext\r\n",
		"\x1b[31mred\x1b[0m":          `\u001b[31mred\u001b[0m`,
		"\x00\a\b\x7f":                `\u0000\u0007\u0008\u007f`,
		"a\u009b31m":                  `a\u009b31m`,
		"\u0085":                      `\u0085`,
		"\u202eabc\u2066\u200f\u061c": `\u202eabc\u2066\u200f\u061c`,
		"a\rb\r\nc\r":                 `a\u000db` + "\r\n" + `c\u000d`,
		"\u2028\u2029":                `\u2028\u2029`,
		"a\x9bb\xff":                  `a\u009bb\u00ff`,
	} {
		assert.Equal(t, want, string(printable.Escape([]byte(text))))
	}
}

// A character is escaped alike at each place of a text, of which several bytes are looked at together.
func TestEscapeAtEachPlace(t *testing.T) {
	t.Parallel()
	for char := range 256 {
		want := string(printable.Escape([]byte{byte(char)}))
		for place := range 20 {
			before, after := strings.Repeat("~", place), strings.Repeat(" ", 19-place)
			text := before + string([]byte{byte(char)}) + after
			require.Equal(t, before+want+after, string(printable.Escape([]byte(text))))
		}
	}
}

// In JSON the escapes mean the same characters.
func TestEscapeOfJSON(t *testing.T) {
	t.Parallel()
	const text = "\x1b a\u009b \u202e \u2028"
	encoded, err := json.Marshal(text)
	require.NoError(t, err)
	var decoded string
	require.NoError(t, json.Unmarshal(printable.Escape(encoded), &decoded))
	assert.Equal(t, text, decoded)
}

// Anything but a terminal gets each byte.
func TestTerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := printable.Terminal(&out)
	_, err := w.Write([]byte("\x1b"))
	require.NoError(t, err)
	assert.Equal(t, "\x1b", out.String())
	assert.False(t, printable.IsTerminal(&out))

	var escaped strings.Builder
	w = printable.Writer(&escaped)
	written, err := w.Write([]byte("\x1b"))
	require.NoError(t, err)
	assert.Equal(t, 1, written)
	assert.Equal(t, `\u001b`, escaped.String())
	assert.Same(t, &escaped, printable.Unescaped(w))
}
