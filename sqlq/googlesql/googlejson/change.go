package googlejson

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// The changes that [Change] makes.
const (
	// SetValue replaces the value at the path. With the option, it makes what the path lacks.
	SetValue = "set"
	// Append adds the value to the array at the path. With the option, the value is an array of several.
	Append = "append"
	// Insert puts the value before the element at the path. With the option, the value is an array of several.
	Insert = "insert"
	// Remove removes what is at the path.
	Remove = "remove"
	// StripNulls removes nulls from objects at the path, and StripNullsOfArrays also from arrays. With the option, they remove
	// objects, and the latter arrays, that become empty.
	StripNulls         = "strip"
	StripNullsOfArrays = "strip arrays"
)

// Change returns JSON with one change at a path. A change that does not fit the JSON, such as one of an element of an object,
// changes nothing.
func Change(change, text, path, value string, option bool) (string, error) {
	document, err := decode(text, true)
	if err != nil {
		return "", err
	}
	steps, err := ParsePath(path)
	if err != nil {
		return "", fmt.Errorf("a change of JSON does not take %w", err)
	}
	var added any
	if change == SetValue || change == Append || change == Insert {
		if added, err = decode(value, true); err != nil {
			return "", err
		}
	}
	switch change {
	case SetValue:
		document = set(document, steps, added, option)
	case Append, Insert:
		values := []any{added}
		if several, isArray := added.([]any); option && isArray {
			values = several
		}
		document = add(document, steps, values, change == Insert)
	case Remove:
		if len(steps) == 0 {
			return "", errors.New("JSON_REMOVE cannot remove $, which is everything")
		}
		document = remove(document, steps)
	case StripNulls, StripNullsOfArrays:
		s := stripping{ofArrays: change == StripNullsOfArrays, removesEmpty: option}
		document = at(document, steps, func(of any) any {
			if stripped := s.strip(of); !s.isEmpty(stripped) {
				return stripped
			}
			return nil
		})
	default:
		return "", fmt.Errorf("there is no change %q of JSON", change)
	}
	return encode(document)
}

// at replaces what is at a path. If there is nothing, it changes nothing.
func at(document any, path []Step, replaced func(of any) any) any {
	if len(path) == 0 {
		return replaced(document)
	}
	step := path[0]
	switch of := document.(type) {
	case map[string]any:
		if member, isThere := of[step.Name]; isThere && !step.IsIndex {
			of[step.Name] = at(member, path[1:], replaced)
		}
	case []any:
		if step.IsIndex && step.Index < len(of) {
			of[step.Index] = at(of[step.Index], path[1:], replaced)
		}
	}
	return document
}

// set replaces what is at a path. A null on the way is as good as an object or an array.
func set(document any, path []Step, value any, creates bool) any {
	if len(path) == 0 {
		return value
	}
	step := path[0]
	if document == nil && creates {
		document = map[string]any{}
		if step.IsIndex {
			document = []any{}
		}
	}
	switch of := document.(type) {
	case map[string]any:
		if member, isThere := of[step.Name]; !step.IsIndex && (isThere || creates) {
			of[step.Name] = set(member, path[1:], value, creates)
		}
	case []any:
		if !step.IsIndex || step.Index >= len(of) && !creates {
			return of
		}
		of = padded(of, step.Index+1)
		of[step.Index] = set(of[step.Index], path[1:], value, creates)
		return of
	}
	return document
}

// padded returns an array that is at least so long, with nulls at its end.
func padded(array []any, length int) []any {
	if missing := length - len(array); missing > 0 {
		array = append(array, make([]any, missing)...)
	}
	return array
}

// add appends values to the array at a path, or inserts them before the element at it. A null is as good as an empty array.
func add(document any, path []Step, values []any, inserts bool) any {
	place := -1
	if inserts {
		if len(path) == 0 || !path[len(path)-1].IsIndex {
			return document
		}
		place = path[len(path)-1].Index
		path = path[:len(path)-1]
	}
	return at(document, path, func(of any) any {
		array, isArray := of.([]any)
		switch {
		case !isArray && of != nil:
			return of
		case !isArray:
			array = []any{}
		}
		if !inserts {
			return append(array, values...)
		}
		return slices.Insert(padded(array, place), place, values...)
	})
}

func remove(document any, path []Step) any {
	last := path[len(path)-1]
	return at(document, path[:len(path)-1], func(of any) any {
		switch of := of.(type) {
		case map[string]any:
			if !last.IsIndex {
				delete(of, last.Name)
			}
		case []any:
			if last.IsIndex && last.Index < len(of) {
				return slices.Delete(of, last.Index, last.Index+1)
			}
		}
		return of
	})
}

// stripping is what nulls are removed from.
type stripping struct{ ofArrays, removesEmpty bool }

func (s stripping) strip(document any) any {
	switch of := document.(type) {
	case map[string]any:
		for name, member := range of {
			if stripped := s.strip(member); stripped == nil || s.isEmpty(stripped) {
				delete(of, name)
			} else {
				of[name] = stripped
			}
		}
	case []any:
		for i := range of {
			of[i] = s.strip(of[i])
		}
		if s.ofArrays {
			return slices.DeleteFunc(of, func(element any) bool { return element == nil || s.isEmpty(element) })
		}
	}
	return document
}

// isEmpty reports whether a value is removed because nothing is in it.
func (s stripping) isEmpty(document any) bool {
	switch of := document.(type) {
	case map[string]any:
		return s.removesEmpty && len(of) == 0
	case []any:
		return s.removesEmpty && s.ofArrays && len(of) == 0
	}
	return false
}

// Object returns an object of an array of names and an array of values. Of equal names, it takes the first.
func Object(names, values string) (string, error) {
	decodedNames, err := decode(names, true)
	if err != nil {
		return "", err
	}
	decodedValues, err := decode(values, true)
	if err != nil {
		return "", err
	}
	nameList, isNames := decodedNames.([]any)
	valueList, isValues := decodedValues.([]any)
	if !isNames || !isValues {
		return "", errors.New("the arrays of JSON_OBJECT must not be NULL")
	}
	if len(nameList) != len(valueList) {
		return "", fmt.Errorf("JSON_OBJECT has %d names and %d values; it needs as many of both", len(nameList), len(valueList))
	}
	members := make(map[string]any)
	for i := range nameList {
		name, isName := nameList[i].(string)
		if !isName {
			return "", errors.New("a name of JSON_OBJECT must not be NULL")
		}
		if _, isThere := members[name]; !isThere {
			members[name] = valueList[i]
		}
	}
	return encode(members)
}

// Contains reports whether JSON holds other JSON: an object the same members, an array the same elements in any order, and an
// array itself also a scalar.
func Contains(text, other string) (bool, error) {
	document, err := decode(text, true)
	if err != nil {
		return false, err
	}
	part, err := decode(other, true)
	if err != nil {
		return false, err
	}
	array, isArray := document.([]any)
	if isArray && isScalar(part) {
		return slices.ContainsFunc(array, func(element any) bool { return contains(element, part) }), nil
	}
	return contains(document, part), nil
}

func isScalar(document any) bool {
	switch document.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

func contains(document, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		of, isObject := document.(map[string]any)
		if !isObject {
			return false
		}
		for name, member := range part {
			if own, isThere := of[name]; !isThere || !contains(own, member) {
				return false
			}
		}
		return true
	case []any:
		of, isArray := document.([]any)
		return isArray && !slices.ContainsFunc(part, func(element any) bool {
			return !slices.ContainsFunc(of, func(own any) bool { return contains(own, element) })
		})
	case json.Number:
		of, isNumber := document.(json.Number)
		return isNumber && sameNumber(of, part)
	}
	return isScalar(document) && document == part
}

// sameNumber compares integers by their digits, and others as FLOAT64.
func sameNumber(a, b json.Number) bool {
	if isInteger(a.String()) && isInteger(b.String()) {
		return a == b
	}
	x, errX := a.Float64()
	y, errY := b.Float64()
	return errX == nil && errY == nil && x == y
}

// Flatten returns an array of all elements of an array, and of arrays in it, that are no arrays.
func Flatten(text string) (string, error) {
	document, err := decode(text, true)
	if err != nil {
		return "", err
	}
	return encode(appendFlat([]any{}, document))
}

func appendFlat(flat []any, document any) []any {
	array, isArray := document.([]any)
	if !isArray {
		return append(flat, document)
	}
	for _, element := range array {
		flat = appendFlat(flat, element)
	}
	return flat
}
