package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// mostDepth is how deep JSON is looked at.
const mostDepth = 1000

// inNDJSON returns what is wrong with objects in lines.
func inNDJSON(data []byte, isWhole bool) string {
	for number := 1; len(data) > 0; number++ {
		line, rest, found := bytes.Cut(data, []byte("\n"))
		if !found && !isWhole {
			if number == 1 {
				return "line 1 is longer than 16 MiB, the limit of an object"
			}
			return ""
		}
		data = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		decoder := json.NewDecoder(bytes.NewReader(line))
		if mistake, _ := inValue(decoder, true, 0); mistake != "" {
			return fmt.Sprintf("line %d %s", number, mistake)
		}
		if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
			return fmt.Sprintf("line %d has more than one object", number)
		}
	}
	return ""
}

// inJSON returns what is wrong with an array of objects, or objects in a row.
func inJSON(data []byte, isWhole bool) string {
	decoder, isArray := json.NewDecoder(bytes.NewReader(data)), bytes.HasPrefix(bytes.TrimSpace(data), []byte("["))
	at := func() int { return lineAt(data, min(len(data), int(decoder.InputOffset()))) }
	if isArray {
		_, _ = decoder.Token()
	}
	for decoder.More() {
		mistake, isEnd := inValue(decoder, true, 0)
		switch {
		case mistake == "":
		case isEnd && !isWhole:
			return ""
		default:
			return fmt.Sprintf("line %d %s", at(), mistake)
		}
	}
	if _, err := decoder.Token(); isWhole && isArray && err != nil {
		return fmt.Sprintf("line %d: the array of objects has no end", at())
	}
	return ""
}

// inValue reads a value, and returns what is wrong with it, as the rest of a sentence about its line. isEnd means that the data ends
// within the value.
func inValue(decoder *json.Decoder, isRecord bool, depth int) (mistake string, isEnd bool) {
	token, err := decoder.Token()
	if err != nil {
		return notJSON(err)
	}
	delimiter, _ := token.(json.Delim)
	switch {
	case isRecord && delimiter != '{':
		return "has no object", false
	case delimiter == 0:
		return "", false
	case depth == mostDepth:
		return "is nested deeper than 1000", false
	}
	seen := make(map[string]bool)
	for decoder.More() {
		if delimiter == '{' {
			key, err := decoder.Token()
			if err != nil {
				return notJSON(err)
			}
			name, _ := key.(string)
			if isRecord && seen[name] {
				return fmt.Sprintf("has the key %q twice", name), false
			}
			seen[name] = true
		}
		if mistake, isEnd := inValue(decoder, false, depth+1); mistake != "" {
			return mistake, isEnd
		}
	}
	if _, err := decoder.Token(); err != nil {
		return notJSON(err)
	}
	return "", false
}

// notJSON returns what an error of the decoder says.
func notJSON(err error) (mistake string, isEnd bool) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "is not valid JSON: it ends early", true
	}
	return "is not valid JSON: " + strings.TrimPrefix(err.Error(), "json: "), false
}
