package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxDepth limits how deep an object nests.
const maxDepth = 32

// DecodeObject decodes a JSON object. Numbers become [json.Number]. The error is not nil if
// the text is anything else, has a name twice in one object, nests deeper than 32 levels, or is
// not well-formed; see [IsWellFormed]. Other decoders use one of two values with the same name,
// and not all the same one.
func DecodeObject(text []byte) (map[string]any, error) {
	if !IsWellFormed(string(text)) {
		return nil, errors.New("is not valid UTF-8, or has an unpaired surrogate")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := decodeValue(decoder, 0)
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("is not a JSON object")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has text after the JSON object")
	}
	return object, nil
}

func decodeValue(decoder *json.Decoder, depth int) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, errors.New("is not valid JSON")
	}
	delimiter, ok := token.(json.Delim)
	switch {
	case !ok:
		return token, nil
	case depth == maxDepth:
		return nil, fmt.Errorf("nests deeper than %d levels", maxDepth)
	case delimiter == '[':
		return decodeList(decoder, depth+1)
	}
	return decodeMembers(decoder, depth+1)
}

func decodeList(decoder *json.Decoder, depth int) (any, error) {
	list := []any{}
	for decoder.More() {
		element, err := decodeValue(decoder, depth)
		if err != nil {
			return nil, err
		}
		list = append(list, element)
	}
	return list, endOf(decoder)
}

func decodeMembers(decoder *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, errors.New("is not valid JSON")
		}
		if _, twice := object[name]; twice {
			return nil, errors.New("has the same name twice in one object")
		}
		if object[name], err = decodeValue(decoder, depth); err != nil {
			return nil, err
		}
	}
	return object, endOf(decoder)
}

// endOf reads the end of a list or an object.
func endOf(decoder *json.Decoder) error {
	if _, err := decoder.Token(); err != nil {
		return errors.New("is not valid JSON")
	}
	return nil
}
