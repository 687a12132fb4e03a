package tables

import (
	_ "embed"
	"strings"
)

// fieldList has a line for each object in the metadata of a source, with the names of its fields. The
// objects in it have lines of their own.
//
//go:embed fields.txt
var fieldList string

// Fields are the fields that senders usually set in an object of metadata, and in those in it. There can be
// others.
type Fields map[string]Fields

// FieldsOf returns the usual fields in the metadata of a source.
func FieldsOf(source string) Fields {
	fields := make(Fields)
	for line := range strings.Lines(fieldList) {
		object, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		path := strings.Split(object, ".")
		if path[0] != source {
			continue
		}
		inner := fields
		for _, name := range path[1:] {
			if inner[name] == nil {
				inner[name] = make(Fields)
			}
			inner = inner[name]
		}
		for name := range strings.FieldsSeq(names) {
			if inner[name] == nil {
				inner[name] = make(Fields)
			}
		}
	}
	return fields
}
