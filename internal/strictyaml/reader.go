// Package strictyaml reads YAML documents of mappings, lists and scalars strictly: each
// key has to be known and may stand once, and anchors, aliases and tags are mistakes
// wherever they stand. It goes on after a mistake, so that whoever wrote the document
// learns of all of them at once; a decoder into structs stops at the first.
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

// Mistake is what is wrong with a document. Line and Column count from 1; zero means
// that the mistake has no place in the document.
type Mistake struct {
	Line, Column int
	Message      string
}

// Reader reads one document and collects the mistakes in it.
type Reader struct {
	// MostBytes is how large the document may be: what nests deeply takes long to parse.
	MostBytes int
	// SecondDocument is the mistake where a second document follows.
	SecondDocument string

	mistakes []Mistake
}

// Read takes the document apart, which must be a mapping and may have the given keys;
// nil if it is none.
func (r *Reader) Read(data []byte, keys ...string) *Mapping {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case len(data) > r.MostBytes:
		r.mistakef(nil, "is larger than %d bytes", r.MostBytes)
		return nil
	case !utf8.Valid(data) || bytes.ContainsRune(data, 0):
		r.mistakef(nil, "is no UTF-8 text")
		return nil
	}
	// Duplicate keys are let through here and reported by Mapping, which does not stop
	// at the first one.
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
		r.mistakef(file.Docs[1].Start, "%s", r.SecondDocument) // it may have nothing but a start
	}
	return Node{reader: r, node: file.Docs[0].Body}.Mapping(keys...)
}

// Mistakes returns what was found so far, in the order of the document.
func (r *Reader) Mistakes() []Mistake {
	slices.SortStableFunc(r.mistakes, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return r.mistakes
}

// mistakef notes what is wrong at a token, or with all of the document where that is nil.
func (r *Reader) mistakef(at *token.Token, format string, args ...any) {
	mistake := Mistake{Message: fmt.Sprintf(format, args...)}
	if at != nil {
		mistake.Line, mistake.Column = at.Position.Line, at.Position.Column
	}
	r.mistakes = append(r.mistakes, mistake)
}
