package jsontext_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/text/jsontext"
)

// Skip passes a valid value as a scanner does, and comes to an end in any text.
func FuzzSkip(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,{"b":"]}\\"}],"c\\\"":-1.5e3} `, `"\\\\\""`, `"\\"`, `[]`, "null\n", `true,1`, `{"a":"`, `"\`, `\"`, `[[`, ``, `"`, `12`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		at := jsontext.SkipSpace(text, 0)
		end := jsontext.Skip(text, at)
		assert.LessOrEqual(t, end, len(text))
		if at < len(text) {
			assert.Greater(t, end, at)
		}
		if json.Valid(text) {
			scanner := jsontext.NewScanner(text)
			scanner.Value(0)
			assert.Equal(t, scanner.Position, end)
		}
	})
}
