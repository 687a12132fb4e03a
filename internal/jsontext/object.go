package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// maxDepth limits how deep an object nests.
const maxDepth = 32

// DecodeObject decodes a JSON object. Numbers become [json.Number]. The error is not nil if
// the text is anything else, has a name twice in one object, nests deeper than 32 levels, or is
// not well-formed; see [IsWellFormed]. Other decoders use one of two values with the same name,
// and not all the same one.
func DecodeObject(text []byte) (map[string]any, error) {
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	s := NewScanner(text)
	_, valid := s.Value(0)
	_, isShallow := NewScanner(text).Value(maxScanDepth - maxDepth)
	switch {
	case !IsWellFormed(string(text)):
		return nil, errors.New("is not valid UTF-8, or has an unpaired surrogate")
	case !valid:
		return nil, errors.New("is not valid JSON")
	case !isShallow:
		return nil, fmt.Errorf("nests deeper than %d levels", maxDepth)
	case repeatsName(text):
		return nil, errors.New("has the same name twice in one object")
	case decoder.Decode(&object) != nil || object == nil:
		return nil, errors.New("is not a JSON object")
	case !s.AtEnd():
		return nil, errors.New("has text after the JSON object")
	}
	return object, nil
}

func repeatsName(text []byte) bool {
	_, fault := WrongName(text, nil)
	return fault != ""
}

// Marshal encodes a value in JSON, in which characters such as < are readable.
func Marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}
