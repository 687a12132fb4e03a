package strictyaml

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/goccy/go-yaml/ast"
)

// Entry is a key of a mapping of any keys, with its value.
type Entry struct {
	Key   Node
	Name  string
	Value Node
}

// Entries returns the entries of a mapping of any keys, each of which must be a string that is
// given once. ok is false if the node is not a mapping.
func (n Node) Entries() (entries []Entry, ok bool) {
	mapping, ok := n.node.(*ast.MappingNode)
	if !ok {
		return nil, false
	}
	seen := make(map[string]bool, len(mapping.Values))
	for _, value := range mapping.Values {
		key, name := Node{n.reader, value.Key}, value.Key.GetToken().Value
		if seen[name] {
			key.Mistakef("key %q is given twice", name)
			continue
		}
		seen[name] = true
		entries = append(entries, Entry{Key: key, Name: name, Value: Node{n.reader, value.Value}})
	}
	return entries, true
}

// Items returns the items of a list, which can be empty. ok is false if the node is not a list.
func (n Node) Items() (items []Node, ok bool) {
	sequence, ok := n.node.(*ast.SequenceNode)
	if !ok {
		return nil, false
	}
	items = make([]Node, len(sequence.Values))
	for i, node := range sequence.Values {
		items[i] = Node{n.reader, node}
	}
	return items, true
}

// Texts returns the texts of a single value, or of a list of them. Anything else is a mistake with the message.
func (n Node) Texts(message string) []string {
	values := []Node{n}
	if items, isList := n.Items(); isList {
		values = items
	}
	texts := []string{}
	for _, value := range values {
		if text, ok := value.Scalar(); ok {
			texts = append(texts, text)
		} else {
			value.Mistakef("%s", message)
		}
	}
	return texts
}

// First returns the node at which a mapping starts, its first key, and any other node itself.
func (n Node) First() Node {
	if mapping, ok := n.node.(*ast.MappingNode); ok && len(mapping.Values) > 0 {
		return Node{n.reader, mapping.Values[0].Key}
	}
	return n
}

// JSON returns the value as JSON, with keys in their order. Aliases, tags and numbers that JSON
// does not have are mistakes; they become null.
func (n Node) JSON() json.RawMessage { return n.appendJSON(nil) }

func (n Node) appendJSON(dst []byte) []byte {
	if items, ok := n.Items(); ok {
		dst = append(dst, '[')
		for i, item := range items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst)
		}
		return append(dst, ']')
	}
	if entries, ok := n.Entries(); ok {
		dst = append(dst, '{')
		for i, entry := range entries {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, entry.Name), ':')
			dst = entry.Value.appendJSON(dst)
		}
		return append(dst, '}')
	}
	return n.appendScalar(dst)
}

func (n Node) appendScalar(dst []byte) []byte {
	switch node := n.node.(type) {
	case *ast.NullNode:
		return append(dst, "null"...)
	case *ast.BoolNode:
		return strconv.AppendBool(dst, node.Value)
	case *ast.StringNode:
		return appendText(dst, node.Value)
	case *ast.LiteralNode:
		return appendText(dst, node.Value.Value)
	case *ast.IntegerNode:
		return fmt.Append(dst, node.Value) // an int64 or a uint64
	case *ast.FloatNode:
		if text := node.GetToken().Value; json.Valid([]byte(text)) {
			return append(dst, text...)
		}
		return strconv.AppendFloat(dst, node.Value, 'g', -1, 64)
	}
	n.Mistakef("must be a string, a number, true, false, null, a list or a mapping")
	return append(dst, "null"...)
}

func appendText(dst []byte, text string) []byte {
	encoded, err := json.Marshal(text)
	if err != nil { // cannot happen with a string
		return append(dst, `""`...)
	}
	return append(dst, encoded...)
}
