// Package strictyaml reads YAML documents of mappings, lists and scalars strictly: each key
// must be known and unique, and anchors, aliases and tags are mistakes. It continues after a
// mistake and reports all of them at once, unlike a decoder into structs, which stops at the
// first.
package strictyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Mistake is a mistake in a document. Line and Column count from 1. They are zero if the
// mistake has no position.
type Mistake struct {
	Line, Column int
	Message      string
}

// Reader reads one document and collects the mistakes in it.
type Reader struct {
	// MostBytes limits the size of the document, because deep nesting takes long to parse.
	MostBytes int
	// SecondDocument is the message of the mistake if a second document follows.
	SecondDocument string

	mistakes []Mistake
}

// Read parses the document, which must be a mapping with only these keys. It returns nil if
// it is not.
func (r *Reader) Read(data []byte, keys ...string) *Mapping {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case len(data) > r.MostBytes:
		r.mistakef(nil, "is larger than %d bytes", r.MostBytes)
		return nil
	case !utf8.Valid(data) || bytes.ContainsRune(data, 0):
		r.mistakef(nil, "is not valid UTF-8")
		return nil
	}
	// The parser allows duplicate keys, because Mapping reports all of them and not only
	// the first.
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		if syntax := yaml.Error(nil); errors.As(err, &syntax) {
			r.mistakef(syntax.GetToken(), "%s", syntax.GetMessage())
		} else {
			r.mistakef(nil, "is not valid YAML")
		}
		return nil
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		r.mistakef(nil, "is empty")
		return nil
	}
	if len(file.Docs) > 1 {
		r.mistakef(file.Docs[1].Start, "%s", r.SecondDocument) // its body may be empty
	}
	return Node{reader: r, node: file.Docs[0].Body}.Mapping(keys...)
}

// Mistakes returns the mistakes so far, in document order.
func (r *Reader) Mistakes() []Mistake {
	slices.SortStableFunc(r.mistakes, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return r.mistakes
}

// mistakef records a mistake at a token, or in the whole document if position is nil.
func (r *Reader) mistakef(position *token.Token, format string, args ...any) {
	mistake := Mistake{Message: fmt.Sprintf(format, args...)}
	if position != nil {
		mistake.Line, mistake.Column = position.Position.Line, position.Position.Column
	}
	r.mistakes = append(r.mistakes, mistake)
}
