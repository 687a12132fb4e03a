package sqlq

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// yamlReader takes a YAML file apart strictly. It goes on after a mistake, so
// that a reader learns of all of them at once, each with its line and column.
type yamlReader struct {
	file     string
	mistakes FileErrors
}

// yamlMapping is the part of a file that stands under one mapping.
type yamlMapping struct {
	reader *yamlReader
	node   ast.Node
	fields map[string]ast.Node
}

// parse returns the file's only document, which must be a mapping.
func (r *yamlReader) parse(data []byte, keys ...string) *yamlMapping {
	// Duplicate keys are let through here and reported by mapping, which does
	// not stop at the first one.
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var syntax yaml.Error
		if errors.As(err, &syntax) {
			r.mistakeAt(syntax.GetToken(), "%s", syntax.GetMessage())
		} else {
			r.mistakeAt(nil, "is not valid YAML")
		}
		return nil
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		r.mistakes = append(r.mistakes, &FileError{File: r.file, Message: "is empty"})
		return nil
	}
	if len(file.Docs) > 1 {
		r.mistakeAt(file.Docs[1].Start, "a file holds one saved query; remove the second document")
	}
	return r.mapping(file.Docs[0].Body, keys...)
}

// mistake notes what is wrong at a node.
func (r *yamlReader) mistake(node ast.Node, format string, args ...any) {
	r.mistakeAt(node.GetToken(), format, args...)
}

// mistakeAt notes what is wrong at a token, which may be nil.
func (r *yamlReader) mistakeAt(at *token.Token, format string, args ...any) {
	mistake := &FileError{File: r.file, Message: fmt.Sprintf(format, args...)}
	if at != nil {
		mistake.Line, mistake.Column = at.Position.Line, at.Position.Column
	}
	r.mistakes = append(r.mistakes, mistake)
}

// mapping reads a mapping that may have the given keys; nil if it is none.
func (r *yamlReader) mapping(node ast.Node, keys ...string) *yamlMapping {
	var values []*ast.MappingValueNode
	switch node := node.(type) {
	case *ast.MappingNode:
		values = node.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{node}
	default:
		r.mistake(node, "must be a mapping with the keys %s", strings.Join(keys, ", "))
		return nil
	}
	m := &yamlMapping{reader: r, node: node, fields: make(map[string]ast.Node, len(values))}
	if len(values) > 0 {
		m.node = values[0].Key
	}
	for _, value := range values {
		key := value.Key.GetToken().Value
		switch {
		case !slices.Contains(keys, key):
			r.mistake(value.Key, "unknown key %q; the keys are %s", key, strings.Join(keys, ", "))
		case m.fields[key] != nil:
			r.mistake(value.Key, "key %q is given twice", key)
		default:
			m.fields[key] = value.Value
		}
	}
	return m
}

// at is the node of a key, or of the mapping itself where the key is missing.
func (m *yamlMapping) at(key string) ast.Node {
	if node := m.fields[key]; node != nil {
		return node
	}
	return m.node
}

// has says whether the key is given.
func (m *yamlMapping) has(key string) bool { return m.fields[key] != nil }

// require reports a key that is missing.
func (m *yamlMapping) require(keys ...string) {
	for _, key := range keys {
		if !m.has(key) {
			m.reader.mistake(m.node, "key %q is missing", key)
		}
	}
}

// text reads a string that is not empty.
func (m *yamlMapping) text(key string) string {
	node := m.fields[key]
	if node == nil {
		return ""
	}
	var text string
	switch node := node.(type) {
	case *ast.StringNode:
		text = node.Value
	case *ast.LiteralNode:
		text = node.Value.Value
	default:
		m.reader.mistake(node, "%s must be a text", key)
		return ""
	}
	text = strings.TrimSpace(text)
	if text == "" {
		m.reader.mistake(node, "%s must not be empty", key)
	}
	return text
}

// oneOf reads a string that is among the given ones.
func (m *yamlMapping) oneOf(key string, allowed ...string) string {
	text := m.text(key)
	if text != "" && !slices.Contains(allowed, text) {
		m.reader.mistake(m.at(key), "%s %q is unknown; use one of %s", key, text, strings.Join(allowed, ", "))
		return ""
	}
	return text
}

// boolean reads true or false.
func (m *yamlMapping) boolean(key string, otherwise bool) bool {
	node := m.fields[key]
	if node == nil {
		return otherwise
	}
	value, ok := node.(*ast.BoolNode)
	if !ok {
		m.reader.mistake(node, "%s must be true or false", key)
		return otherwise
	}
	return value.Value
}

// integer reads a whole number between the bounds.
func (m *yamlMapping) integer(key string, otherwise, lowest, highest int) int {
	node := m.fields[key]
	if node == nil {
		return otherwise
	}
	if number, ok := node.(*ast.IntegerNode); ok {
		if value, ok := number.Value.(uint64); ok && value >= uint64(lowest) && value <= uint64(highest) { //nolint:gosec // Bounds are positive constants.
			return int(value) //nolint:gosec // It is at most highest.
		}
	}
	m.reader.mistake(node, "%s must be a whole number from %d to %d", key, lowest, highest)
	return otherwise
}

// duration reads a time span such as 900s, or the word disabled, which is zero.
func (m *yamlMapping) duration(key string) time.Duration {
	node := m.fields[key]
	if node == nil {
		return 0
	}
	text, ok := scalarText(node)
	if ok && text == disabled {
		return 0
	}
	value, err := time.ParseDuration(text)
	if !ok || err != nil || value < time.Second || value%time.Second != 0 {
		m.reader.mistake(node, "%s must be %s or a duration of whole seconds, such as 900s or 15m", key, disabled)
		return 0
	}
	return value
}

// scalar reads any scalar as text; nil where the key is missing.
func (m *yamlMapping) scalar(key string) *string {
	node := m.fields[key]
	if node == nil {
		return nil
	}
	text, ok := scalarText(node)
	if !ok {
		m.reader.mistake(node, "%s must be a single value", key)
		return nil
	}
	return &text
}

// items returns the nodes of a list, which must not be empty; nil where the key is
// missing.
func (m *yamlMapping) items(key string) []ast.Node {
	node := m.fields[key]
	if node == nil {
		return nil
	}
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		m.reader.mistake(node, "%s must be a list", key)
		return nil
	}
	if len(sequence.Values) == 0 {
		m.reader.mistake(node, "%s must not be empty; leave it out instead", key)
	}
	return sequence.Values
}

// scalarText is the text of a scalar, of whatever type YAML takes it for.
func scalarText(node ast.Node) (string, bool) {
	switch node := node.(type) {
	case *ast.StringNode:
		return node.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return node.GetToken().Value, true
	default:
		return "", false
	}
}
