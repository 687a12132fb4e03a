package sqltree

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Node is a node of a tree: a query, something that a query reads, or an expression. A nil node
// has no content.
type Node map[string]any

// Type returns the type of a node, such as SELECT_NODE, BASE_TABLE or COLUMN_REF.
func (n Node) Type() string { return n.Text("type") }

// Class returns the class of an expression, such as FUNCTION; empty for other nodes.
func (n Node) Class() string { return n.Text("class") }

// Text returns a text of the node; empty if it has none of this name.
func (n Node) Text(name string) string {
	text, _ := n[name].(string)
	return text
}

// Name returns a text of the node in lower case, as names are compared.
func (n Node) Name(name string) string { return strings.ToLower(n.Text(name)) }

// Flag reports whether a boolean of the node is set.
func (n Node) Flag(name string) bool {
	flag, _ := n[name].(bool)
	return flag
}

// Child returns a node in the node; nil if there is none of this name.
func (n Node) Child(name string) Node { return asNode(n[name]) }

// List returns the nodes in a list of the node.
func (n Node) List(name string) []Node {
	elements, _ := n[name].([]any)
	nodes := make([]Node, 0, len(elements))
	for _, element := range elements {
		nodes = append(nodes, asNode(element))
	}
	return nodes
}

// Names returns the texts in a list of the node, in lower case.
func (n Node) Names(name string) []string {
	elements, _ := n[name].([]any)
	names := make([]string, 0, len(elements))
	for _, element := range elements {
		text, _ := element.(string)
		names = append(names, strings.ToLower(text))
	}
	return names
}

// Offset returns where the node is in the SQL. It reports false if the parser does not know.
func (n Node) Offset() (int, bool) {
	number, ok := n["query_location"].(json.Number)
	offset, err := number.Int64()
	return int(offset), ok && err == nil
}

// Children returns the nodes directly in the node, in a constant order.
func (n Node) Children() []Node { return n.childrenBut("") }

// childrenBut returns the children except those of one name.
func (n Node) childrenBut(name string) []Node {
	var children []Node
	for _, key := range slices.Sorted(maps.Keys(n)) {
		if key != name {
			children = appendNodes(children, n[key])
		}
	}
	return children
}

// Walk calls visit with the node and the nodes in it, but not with those in a node for which visit
// returns false.
func (n Node) Walk(visit func(Node) bool) {
	if !visit(n) {
		return
	}
	for _, child := range n.Children() {
		child.Walk(visit)
	}
}

// Map returns a copy of the tree in which replace has replaced nodes. Those for which it returns nil
// stay, with copies of the nodes in them.
func (n Node) Map(replace func(Node) Node) Node {
	if replaced := replace(n); replaced != nil {
		return replaced
	}
	mapped := make(Node, len(n))
	for key, value := range n {
		mapped[key] = mapValue(value, replace)
	}
	return mapped
}

func mapValue(value any, replace func(Node) Node) any {
	switch value := value.(type) {
	case map[string]any:
		return map[string]any(Node(value).Map(replace))
	case []any:
		mapped := make([]any, len(value))
		for i, element := range value {
			mapped[i] = mapValue(element, replace)
		}
		return mapped
	}
	return value
}

// appendNodes appends a value that is a node, or the nodes of a list, which can hold lists.
func appendNodes(nodes []Node, value any) []Node {
	switch value := value.(type) {
	case map[string]any:
		return append(nodes, value)
	case []any:
		for _, element := range value {
			nodes = appendNodes(nodes, element)
		}
	}
	return nodes
}

func asNode(value any) Node {
	object, _ := value.(map[string]any)
	return object
}
