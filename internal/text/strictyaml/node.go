package strictyaml

import (
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Node is a key or a value in a document.
type Node struct {
	reader *Reader
	node   ast.Node
}

// Line returns the line of the node, from 1.
func (n Node) Line() int { return n.node.GetToken().Position.Line }

// Column returns the column at which the node starts, from 1.
func (n Node) Column() int { return n.node.GetToken().Position.Column }

// Mistakef records a mistake at the node.
func (n Node) Mistakef(format string, args ...any) {
	n.reader.mistakef(n.node.GetToken(), format, args...)
}

// IsMapping reports whether the node is a mapping.
func (n Node) IsMapping() bool {
	_, is := n.node.(*ast.MappingNode)
	return is
}

// Mapping reads a mapping with only these keys. It returns nil if the node is not a mapping.
func (n Node) Mapping(keys ...string) *Mapping {
	mapping, ok := n.node.(*ast.MappingNode)
	if !ok {
		n.Mistakef("must be a mapping with the keys %s", strings.Join(keys, ", "))
		return nil
	}
	m := &Mapping{Start: n, values: make(map[string]Node, len(mapping.Values))}
	if len(mapping.Values) > 0 {
		m.Start.node = mapping.Values[0].Key
	}
	for _, value := range mapping.Values {
		keyNode, key := Node{n.reader, value.Key}, value.Key.GetToken().Value
		switch {
		case !slices.Contains(keys, key):
			keyNode.Mistakef("unknown key %q; the keys are %s", key, strings.Join(keys, ", "))
		case m.Has(key):
			keyNode.Mistakef("key %q is given twice", key)
		default:
			m.values[key] = Node{n.reader, value.Value}
		}
	}
	return m
}

// Scalar returns a plain or quoted string, or a number or boolean as it is written. It
// returns false for anything else.
func (n Node) Scalar() (string, bool) {
	switch node := n.node.(type) {
	case *ast.StringNode:
		return node.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return node.GetToken().Value, true
	default:
		return "", false
	}
}

// Boolean returns the value of a boolean. ok is false for anything else.
func (n Node) Boolean() (value, ok bool) {
	node, ok := n.node.(*ast.BoolNode)
	return ok && node.Value, ok
}

// Number returns the value of a number, or NaN for anything else.
func (n Node) Number() float64 {
	switch node := n.node.(type) {
	case *ast.FloatNode:
		return node.Value
	case *ast.IntegerNode:
		return float64(n.WholeNumber())
	default:
		return math.NaN()
	}
}

// WholeNumber returns the value of an integer. It returns -1 for anything else, for negative
// numbers and for numbers beyond 32 bits.
func (n Node) WholeNumber() int {
	if node, ok := n.node.(*ast.IntegerNode); ok {
		if value, ok := node.Value.(uint64); ok && value <= math.MaxInt32 {
			return int(value)
		}
	}
	return -1
}
