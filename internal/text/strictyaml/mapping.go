package strictyaml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Mapping is a mapping of known keys. Methods that read the value of a key return the
// default, or the zero value, if the key is missing or its value is a mistake.
type Mapping struct {
	// Start is the first key, or the braces of an empty mapping.
	Start  Node
	values map[string]Node
}

// Has reports whether the mapping has the key.
func (m *Mapping) Has(key string) bool {
	_, ok := m.values[key]
	return ok
}

// At returns the value of a key, or the start of the mapping if the key is missing.
func (m *Mapping) At(key string) Node {
	if value, ok := m.values[key]; ok {
		return value
	}
	return m.Start
}

// Require reports the keys that are missing.
func (m *Mapping) Require(keys ...string) {
	for _, key := range keys {
		if !m.Has(key) {
			m.Start.Mistakef("key %q is missing", key)
		}
	}
}

// Value reads the value of a key with the function parse, and reports its error as a mistake.
func Value[T any](m *Mapping, key string, fallback T, parse func(Node) (T, error)) T {
	node, ok := m.values[key]
	if !ok {
		return fallback
	}
	value, err := parse(node)
	if err != nil {
		node.Mistakef("%s", err)
		return fallback
	}
	return value
}

// Text reads a plain, quoted or block string and trims white space. The rest must not be
// empty.
func (m *Mapping) Text(key string) string {
	return Value(m, key, "", func(value Node) (string, error) {
		var text string
		switch node := value.node.(type) {
		case *ast.StringNode:
			text = node.Value
		case *ast.LiteralNode:
			text = node.Value.Value
		default:
			return "", fmt.Errorf("%s must be a string", key)
		}
		text = strings.TrimSpace(text)
		if text == "" {
			return "", fmt.Errorf("%s must not be empty", key)
		}
		return text, nil
	})
}

// OneOf reads a string that must be one of the allowed ones.
func (m *Mapping) OneOf(key string, allowed ...string) string {
	text := m.Text(key)
	if text != "" && !slices.Contains(allowed, text) {
		m.At(key).Mistakef("%s %q is unknown; use one of %s", key, text, strings.Join(allowed, ", "))
		return ""
	}
	return text
}

// Scalar reads a scalar; see [Node.Scalar]. It returns nil if the key is missing.
func (m *Mapping) Scalar(key string) *string {
	return Value(m, key, nil, func(value Node) (*string, error) {
		text, ok := value.Scalar()
		if !ok {
			return nil, fmt.Errorf("%s must be a single value", key)
		}
		return &text, nil
	})
}

// Boolean reads a boolean.
func (m *Mapping) Boolean(key string, fallback bool) bool {
	return Value(m, key, fallback, func(value Node) (bool, error) {
		boolean, ok := value.Boolean()
		if !ok {
			return false, fmt.Errorf("%s must be true or false", key)
		}
		return boolean, nil
	})
}

// Integer reads an integer between bounds, which must not be negative.
func (m *Mapping) Integer(key string, fallback, lowest, highest int) int {
	return Value(m, key, fallback, func(value Node) (int, error) {
		number := value.WholeNumber()
		if number < lowest || number > highest {
			return 0, fmt.Errorf("%s must be a whole number from %d to %d", key, lowest, highest)
		}
		return number, nil
	})
}

// List reads a list. An empty list is a mistake, because it could mean nothing or
// everything. empty is the message of that mistake.
func (m *Mapping) List(key, empty string) []Node {
	return Value(m, key, nil, func(value Node) ([]Node, error) {
		items, ok := value.Items()
		switch {
		case !ok:
			return nil, fmt.Errorf("%s must be a list", key)
		case len(items) == 0:
			return nil, fmt.Errorf("%s %s", key, empty)
		}
		return items, nil
	})
}
