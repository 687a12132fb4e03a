package eventrow

import (
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// MistypedField is a member of metadata whose type is not the one that statistics or a field read. They ignore its value.
type MistypedField struct {
	// Name is the field's path in metadata.
	Name string
	// Want names the type: "a number" or "a string".
	Want string
}

// The values of [MistypedField.Want] for records.
const (
	wantText   = "a string"
	wantNumber = "a number"
)

// TypeCheck finds the mistyped fields of events of one source without computing their rows. It is not safe for concurrent
// use.
type TypeCheck struct {
	records *Records
	fields  *Fields
}

// NewTypeCheck returns the check for a source. It finds nothing if no statistics read the source, and it has no fields.
func NewTypeCheck(source *sqlq.Table) TypeCheck {
	return TypeCheck{records: NewRecords(source.Name), fields: NewFields(source.Fields)}
}

// Mistyped returns the mistyped fields of an event, each once.
func (c TypeCheck) Mistyped(event *logevent.Event) []MistypedField {
	c.fields.Read(event.Metadata)
	if c.records.shape.fields == nil {
		return c.fields.Mistyped
	}
	c.records.Mistyped = nil
	for values := range c.records.pairs(event.Metadata) {
		c.records.noteMistyped(values)
	}
	return append(c.records.Mistyped, c.fields.Mistyped...)
}
