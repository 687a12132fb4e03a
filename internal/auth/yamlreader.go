package auth

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"savedq/sqlq"
)

// yamlReader takes a YAML file apart strictly. It goes on after a mistake, so that
// a reader learns of all of them at once; a decoder into structs stops at the
// first. Anchors, aliases and tags are mistakes wherever they stand.
type yamlReader struct {
	file     string
	mistakes sqlq.FileErrors
}

// yamlKey is a key that a mapping may have, or must, and what reads its value.
type yamlKey struct {
	name     string
	required bool
	read     func(ast.Node)
}

// parse returns the file's only document; nil where there is none.
func (r *yamlReader) parse(data []byte) ast.Node {
	// Duplicate keys are let through here and reported by mapping, which does not
	// stop at the first one.
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		mistake := &sqlq.FileError{File: r.file, Message: "is not valid YAML"}
		if syntax := yaml.Error(nil); errors.As(err, &syntax) {
			mistake.Message = syntax.GetMessage()
			place(mistake, syntax.GetToken())
		}
		r.mistakes = append(r.mistakes, mistake)
		return nil
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		r.mistakes = append(r.mistakes, &sqlq.FileError{File: r.file, Message: "is empty"})
		return nil
	}
	if len(file.Docs) > 1 {
		mistake := &sqlq.FileError{File: r.file, Message: "a tokens file is one document; remove the second one"}
		place(mistake, file.Docs[1].Start) // it may have nothing else
		r.mistakes = append(r.mistakes, mistake)
	}
	return file.Docs[0].Body
}

// mistake notes what is wrong at a node.
func (r *yamlReader) mistake(node ast.Node, format string, args ...any) {
	mistake := &sqlq.FileError{File: r.file, Message: fmt.Sprintf(format, args...)}
	place(mistake, node.GetToken())
	r.mistakes = append(r.mistakes, mistake)
}

// place says where a mistake is, where that is known.
func place(mistake *sqlq.FileError, at *token.Token) {
	if at != nil {
		mistake.Line, mistake.Column = at.Position.Line, at.Position.Column
	}
}

// sorted returns the mistakes in the order of the file.
func (r *yamlReader) sorted() sqlq.FileErrors {
	slices.SortStableFunc(r.mistakes, func(a, b *sqlq.FileError) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return r.mistakes
}

// mapping reads a mapping with the keys, in the order of the keys, and returns the
// values that are given.
func (r *yamlReader) mapping(node ast.Node, keys ...yamlKey) map[string]ast.Node {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = key.name
	}
	var values []*ast.MappingValueNode
	switch node := node.(type) {
	case *ast.MappingNode:
		values = node.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{node}
	default:
		r.mistake(node, "must be a mapping with the keys %s", strings.Join(names, ", "))
		return nil
	}
	given, start := make(map[string]ast.Node, len(values)), node
	for i, value := range values {
		if i == 0 {
			start = value.Key
		}
		name := value.Key.GetToken().Value
		switch {
		case !slices.Contains(names, name):
			r.mistake(value.Key, "unknown key %q; the keys are %s", name, strings.Join(names, ", "))
		case given[name] != nil:
			r.mistake(value.Key, "key %q is given twice", name)
		default:
			given[name] = value.Value
		}
	}
	for _, key := range keys {
		switch value := given[key.name]; {
		case value != nil:
			key.read(value)
		case key.required:
			r.mistake(start, "key %q is missing", key.name)
		}
	}
	return given
}

// list reads a list that holds something. An empty one is a mistake, because it
// could be meant as nothing or as everything.
func (r *yamlReader) list(node ast.Node, key string) []ast.Node {
	sequence, ok := node.(*ast.SequenceNode)
	switch {
	case !ok:
		r.mistake(node, "%s must be a list", key)
		return nil
	case len(sequence.Values) == 0:
		r.mistake(node, "%s must not be an empty list", key)
	}
	return sequence.Values
}

// texts reads a list of different texts, each of which the check, if there is one,
// finds nothing wrong with.
func (r *yamlReader) texts(node ast.Node, key string, check func(string) error) []string {
	var texts []string
	seen := make(map[string]bool)
	for _, item := range r.list(node, key) {
		text, ok := r.text(item)
		switch {
		case !ok: // reported already
		case seen[text]:
			r.mistake(item, "%q is listed twice", text)
		default:
			seen[text] = true
			texts = append(texts, text)
			if check == nil {
				continue
			}
			if err := check(text); err != nil {
				r.mistake(item, "%s", err)
			}
		}
	}
	return texts
}

// text reads a text of printable characters that is not empty. What looks like a
// number is taken as it is written.
func (r *yamlReader) text(node ast.Node) (string, bool) {
	text, ok := scalarText(node)
	switch {
	case !ok:
		r.mistake(node, "must be a text of one line")
	case text == "":
		r.mistake(node, "must not be empty")
	case strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }):
		r.mistake(node, "must be of printable characters")
	default:
		return text, true
	}
	return "", false
}

// parsed reads a text that parse takes; the zero value where it does not.
func parsed[T any](r *yamlReader, node ast.Node, parse func(string) (T, error)) T {
	var none T
	text, ok := r.text(node)
	if !ok {
		return none
	}
	value, err := parse(text)
	if err != nil {
		r.mistake(node, "%s", err)
		return none
	}
	return value
}

// boolean reads true or false.
func (r *yamlReader) boolean(node ast.Node, key string) bool {
	value, ok := node.(*ast.BoolNode)
	if !ok {
		r.mistake(node, "%s must be true or false", key)
		return false
	}
	return value.Value
}

// scalarText is the text of a scalar; false for anything else.
func scalarText(node ast.Node) (string, bool) {
	switch node := node.(type) {
	case *ast.StringNode:
		return node.Value, true
	case *ast.IntegerNode, *ast.FloatNode:
		return node.GetToken().Value, true
	default:
		return "", false
	}
}

// number is the value of a number; NaN for anything else.
func number(node ast.Node) float64 {
	switch node := node.(type) {
	case *ast.FloatNode:
		return node.Value
	case *ast.IntegerNode:
		return float64(wholeNumber(node))
	default:
		return math.NaN()
	}
}

// wholeNumber is the value of a whole number; -1 for anything else, and for what is
// below zero or beyond 32 bits.
func wholeNumber(node ast.Node) int {
	if integer, ok := node.(*ast.IntegerNode); ok {
		if value, ok := integer.Value.(uint64); ok && value <= math.MaxInt32 {
			return int(value)
		}
	}
	return -1
}

// lineOf is the line that a node stands in.
func lineOf(node ast.Node) int { return node.GetToken().Position.Line }
