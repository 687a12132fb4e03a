package jsontext_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"savedq/internal/text/jsontext"
)

func TestIsWellFormed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		``:                  true,
		`"ä"`:               true,
		`"\ud83d\ude00"`:    true,
		`"\uD83D\uDE00\n"`:  true,
		`"\\ud83d"`:         true, // an escaped backslash
		`"\u00e9"`:          true,
		`"\ud83d"`:          false,
		`"\ude00\ud83d"`:    false,
		`"\ud83d\n\ude00"`:  false,
		`"\ud83d\\ude00"`:   false,
		"\"\xff\"":          false,
		"\"\xed\xa0\xbd\"":  false, // a surrogate in UTF-8
		`"\u12`:             true,  // not JSON, which is for the decoder to say
		`"\ud83d\ude00\ud8`: true,
	} {
		assert.Equal(t, want, jsontext.IsWellFormed(text), text)
	}
}

func TestUnescape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                                     ``,
		`{"a":"café"}`:                         `{"a":"café"}`,
		`{"a":"caf\u00e9"}`:                    `{"a":"café"}`,
		`{"path":"\/rest\/v1","q":"1\u00262"}`: `{"path":"/rest/v1","q":"1&2"}`,
		`["\ud83d\ude00","\ud83d!","\ude00"]`:  `["😀","�!","�"]`,
		`"\b\f\n\r\t\"\\n"`:                    "\"\b\f\n\r\t\"\\n\"",
		`"\u00zz`:                              `"u00zz`,
		`"\`:                                   `"\`,
	} {
		assert.Equal(t, want, jsontext.Unescape(text), text)
	}
}

func FuzzUnescape(f *testing.F) {
	for _, text := range []string{`""`, `"\u00e9"`, `"\ud83d\ude00\ud83d"`, `"\"\\\/"`, `"\b\f\n\r\t"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain := jsontext.Unescape(text)
		var want string
		if utf8.ValidString(text) && strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &want) == nil {
			assert.Equal(t, `"`+want+`"`, strings.TrimSpace(plain))
		}
	})
}
