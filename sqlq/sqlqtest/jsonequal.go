package sqlqtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/big"
	"slices"
)

// sameJSON reports whether two JSON texts hold the same value, each one reduced
// first. Text that is no JSON equals nothing.
func sameJSON(want, got json.RawMessage, reduce func(any) any) bool {
	wantValue, wantErr := decodeJSON(want)
	gotValue, gotErr := decodeJSON(got)
	return wantErr == nil && gotErr == nil && equalJSON(reduce(wantValue), reduce(gotValue))
}

// decodeJSON reads one JSON value and keeps its numbers as they are spelled, for
// a number beyond 2^53 must survive its store.
func decodeJSON(text json.RawMessage) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one JSON value")
	}
	return value, nil
}

func equalJSON(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		got, isObject := got.(map[string]any)
		return isObject && maps.EqualFunc(want, got, equalJSON)
	case []any:
		got, isList := got.([]any)
		return isList && slices.EqualFunc(want, got, equalJSON)
	case json.Number:
		got, isNumber := got.(json.Number)
		return isNumber && equalNumber(want, got)
	default: // nil, string, bool
		return want == got
	}
}

// equalNumber compares the values of two numbers exactly: 1, 1.0 and 1e0 are one
// value, 9007199254740993 and 9007199254740992 are two.
func equalNumber(want, got json.Number) bool {
	if want == got {
		return true
	}
	wantValue, wantIsNumber := new(big.Rat).SetString(want.String())
	gotValue, gotIsNumber := new(big.Rat).SetString(got.String())
	return wantIsNumber && gotIsNumber && wantValue.Cmp(gotValue) == 0
}

// asItIs reduces nothing.
func asItIs(value any) any { return value }

// withoutNothing drops from objects, at every level, the fields that are null or
// an empty list. See [Options.TypedMetadata].
func withoutNothing(value any) any {
	switch value := value.(type) {
	case map[string]any:
		reduced := make(map[string]any, len(value))
		for key, field := range value {
			field = withoutNothing(field)
			if list, isList := field.([]any); field == nil || (isList && len(list) == 0) {
				continue
			}
			reduced[key] = field
		}
		return reduced
	case []any:
		reduced := make([]any, len(value))
		for i, element := range value {
			reduced[i] = withoutNothing(element)
		}
		return reduced
	default:
		return value
	}
}

// orEmptyList gives NULL the text of an empty list.
func orEmptyList(text json.RawMessage) json.RawMessage {
	if text == nil {
		return json.RawMessage("[]")
	}
	return text
}
