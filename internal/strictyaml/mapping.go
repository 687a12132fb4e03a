package strictyaml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Mapping is a mapping of known keys. What reads the value of a key returns the zero
// value, or the one to use otherwise, where the key is missing or has a mistake.
type Mapping struct {
	// Start is the first key, or the braces of an empty mapping.
	Start  Node
	values map[string]Node
}

// Has says whether the key is given.
func (m *Mapping) Has(key string) bool {
	_, ok := m.values[key]
	return ok
}

// At is the value of a key, or where the mapping starts if the key is missing.
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

// Value reads the value of a key by what takes it, or says what is wrong with it.
func Value[T any](m *Mapping, key string, otherwise T, take func(Node) (T, error)) T {
	node, ok := m.values[key]
	if !ok {
		return otherwise
	}
	value, err := take(node)
	if err != nil {
		node.Mistakef("%s", err)
		return otherwise
	}
	return value
}

// Text reads a string, plain, quoted or a block, that is more than white space, which it
// trims.
func (m *Mapping) Text(key string) string {
	return Value(m, key, "", func(value Node) (string, error) {
		var text string
		switch node := value.node.(type) {
		case *ast.StringNode:
			text = node.Value
		case *ast.LiteralNode:
			text = node.Value.Value
		default:
			return "", fmt.Errorf("%s must be a text", key)
		}
		text = strings.TrimSpace(text)
		if text == "" {
			return "", fmt.Errorf("%s must not be empty", key)
		}
		return text, nil
	})
}

// OneOf reads a string that is among the given ones.
func (m *Mapping) OneOf(key string, allowed ...string) string {
	text := m.Text(key)
	if text != "" && !slices.Contains(allowed, text) {
		m.At(key).Mistakef("%s %q is unknown; use one of %s", key, text, strings.Join(allowed, ", "))
		return ""
	}
	return text
}

// Scalar reads what [Node.Scalar] takes; nil where there is none.
func (m *Mapping) Scalar(key string) *string {
	return Value(m, key, nil, func(value Node) (*string, error) {
		text, ok := value.Scalar()
		if !ok {
			return nil, fmt.Errorf("%s must be a single value", key)
		}
		return &text, nil
	})
}

// Boolean reads true or false.
func (m *Mapping) Boolean(key string, otherwise bool) bool {
	return Value(m, key, otherwise, func(value Node) (bool, error) {
		boolean, ok := value.Boolean()
		if !ok {
			return false, fmt.Errorf("%s must be true or false", key)
		}
		return boolean, nil
	})
}

// Integer reads a whole number between bounds that are not negative.
func (m *Mapping) Integer(key string, otherwise, lowest, highest int) int {
	return Value(m, key, otherwise, func(value Node) (int, error) {
		number := value.WholeNumber()
		if number < lowest || number > highest {
			return 0, fmt.Errorf("%s must be a whole number from %d to %d", key, lowest, highest)
		}
		return number, nil
	})
}

// List reads a list. An empty one is a mistake, because it could be meant as nothing or
// as everything; what the mistake says of the key is left to the caller.
func (m *Mapping) List(key, empty string) []Node {
	return Value(m, key, nil, func(value Node) ([]Node, error) {
		sequence, ok := value.node.(*ast.SequenceNode)
		switch {
		case !ok:
			return nil, fmt.Errorf("%s must be a list", key)
		case len(sequence.Values) == 0:
			return nil, fmt.Errorf("%s %s", key, empty)
		}
		nodes := make([]Node, len(sequence.Values))
		for i, node := range sequence.Values {
			nodes[i] = Node{value.reader, node}
		}
		return nodes, nil
	})
}
