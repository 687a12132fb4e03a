package googlejson

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// The modes of [Keys].
const (
	// Strict leaves out names in arrays.
	Strict = "strict"
	// Lax takes the names of objects in arrays, but not in arrays of arrays.
	Lax = "lax"
	// LaxRecursive takes the names of objects in arrays of arrays, too.
	LaxRecursive = "lax recursive"
)

// Keys returns an array of the paths of all members down to a depth, without $, sorted and each once.
func Keys(text string, depth int64, mode string) (string, error) {
	if depth < 1 {
		return "", errors.New("the depth of JSON_KEYS must be at least 1")
	}
	document, err := decode(text, true)
	if err != nil {
		return "", err
	}
	w := keyWalk{mode: mode, keys: make(map[string]bool)}
	if err := w.walk(document, "", depth); err != nil {
		return "", err
	}
	return encode(append([]string{}, slices.Sorted(maps.Keys(w.keys))...))
}

type keyWalk struct {
	mode string
	keys map[string]bool
}

func (w keyWalk) walk(document any, prefix string, depth int64) error {
	switch of := document.(type) {
	case map[string]any:
		for name, member := range of {
			key, err := escaped(name)
			if err != nil {
				return err
			}
			key = prefix + key
			w.keys[key] = true
			if depth > 1 {
				if err := w.walk(member, key+".", depth-1); err != nil {
					return err
				}
			}
		}
	case []any:
		for _, element := range of {
			_, isArray := element.([]any)
			if w.mode == Strict || isArray && w.mode != LaxRecursive {
				continue
			}
			if err := w.walk(element, prefix, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// escaped returns a name as a path has it: in quotes if a dot is in it, or a character that JSON escapes.
func escaped(name string) (string, error) {
	quoted, err := encode(name)
	if err != nil || !strings.Contains(name, ".") && quoted == `"`+name+`"` {
		return name, err
	}
	return quoted, nil
}
