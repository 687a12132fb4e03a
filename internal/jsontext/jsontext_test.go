package jsontext_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/jsontext"
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
