package logevent

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// The functions of this file walk JSON without decoding it, because the values
// that pass through must keep their exact text: numbers beyond 2^53, 1.0, 1e3
// and the order of keys (D14). They all expect valid JSON.

// fields yields the members of an object: the key, decoded, and the raw value.
func fields(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		rest := skipSpace(object)[1:]
		for {
			rest = skipSpace(rest)
			switch rest[0] {
			case '}':
				return
			case ',':
				rest = skipSpace(rest[1:])
			}
			key := rest[:valueLength(rest)]
			rest = skipSpace(rest[len(key):])
			rest = skipSpace(rest[1:]) // the colon
			value := rest[:valueLength(rest)]
			rest = rest[len(value):]
			if !yield(unquote(key), value) {
				return
			}
		}
	}
}

// skipSpace returns the text from its first byte that is no JSON space.
func skipSpace(text []byte) []byte {
	return bytes.TrimLeft(text, " \t\r\n")
}

// valueLength is the length of the JSON value that the text starts with.
func valueLength(text []byte) int {
	switch text[0] {
	case '"':
		return stringLength(text)
	case '{', '[':
		return containerLength(text)
	}
	if end := bytes.IndexAny(text, " \t\r\n,:]}"); end >= 0 {
		return end
	}
	return len(text)
}

func stringLength(text []byte) int {
	for end := 1; ; end++ {
		end += bytes.IndexByte(text[end:], '"')
		backslashes := 0
		for text[end-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 { // else the quote is escaped
			return end + 1
		}
	}
}

func containerLength(text []byte) int {
	depth := 0
	for i := 0; ; i++ {
		switch text[i] {
		case '"':
			i += stringLength(text[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
}

// unquote decodes a JSON string. Half a surrogate pair becomes U+FFFD, as
// everywhere in encoding/json.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return strings.ToValidUTF8(string(quoted), "\uFFFD")
	}
	return text
}

// isNull says whether a value is null, which stands for an absent one.
func isNull(value []byte) bool { return value[0] == 'n' }

// kindOf names the kind of a value in the words of a message.
func kindOf(value []byte) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
