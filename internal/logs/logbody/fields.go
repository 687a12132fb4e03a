package logbody

import (
	"slices"

	"savedq/internal/logs/logevent"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// fields name the members of a shipper's event that have another name in savedq's. All other members
// become metadata, together with the members of a member "metadata", which win.
type fields struct {
	// own become fields of the event, and renamed members of its metadata.
	own, renamed []renaming
}

// renaming is a field, and what shippers call it. Of several names, the first one that the event has
// counts; the members with the others keep their names, and become metadata.
type renaming struct {
	name  string
	names []string
}

// vectorFields are the fields of Vector's log events, and savedq's own.
func vectorFields() fields {
	return fields{own: []renaming{
		{"id", []string{"id"}},
		{"project", []string{"project"}},
		{"event_message", []string{"event_message", "message", "log_entry"}},
		{"timestamp", []string{"timestamp"}},
	}}
}

// rewritten returns a function that adds events as rewrite returns them.
func (c *collector) rewritten(rewrite func(object jsontext.Value) []byte) func(raw []byte) error {
	return func(raw []byte) error {
		object, err := logevent.Object(raw)
		if err != nil {
			c.rejectError(c.options.Source.Name, raw, err)
			return nil
		}
		c.add(c.options.Source, rewrite(object), raw)
		return nil
	}
}

// rewrite returns the event as savedq defines it.
func (f fields) rewrite(object jsontext.Value) []byte {
	own, renamed := newFields(f.own), newFields(f.renamed)
	rest := append(make([]byte, 0, len(object)), '{')
	var metadata jsontext.Value
	for member := range object.Members() {
		switch {
		case takeAny(own, member):
		case member.Name == "metadata" && member.Value.Is('{'):
			metadata = member.Value
		case takeAny(renamed, member):
		default:
			rest = appendRaw(rest, member)
		}
	}
	for _, found := range renamed {
		rest = found.appendUnused(appendFound(rest, found.name, found.value))
	}
	for member := range metadata.Members() {
		rest = appendRaw(rest, member)
	}
	event := append(make([]byte, 0, len(object)+len(rest)), '{')
	for _, found := range own {
		switch {
		case found.value == nil:
		case found.name == "timestamp":
			event = appendMember(event, found.name, found.value)
		default:
			event = appendText(appendKey(event, found.name), found.value)
			if found.value.Is('{') || found.value.Is('[') { // its structure must not be lost
				rest = appendMember(rest, found.key, found.value)
			}
		}
		rest = found.appendUnused(rest)
	}
	if len(rest) > 1 {
		event = appendMember(event, "metadata", append(rest, '}'))
	}
	return append(event, '}')
}

// field is the value of a field, and those that another value was preferred to.
type field struct {
	renaming

	key    string
	value  jsontext.Value
	unused []jsontext.Member
}

func newFields(renamings []renaming) []field {
	fields := make([]field, len(renamings))
	for i, renaming := range renamings {
		fields[i].renaming = renaming
	}
	return fields
}

// take keeps a value that can be the field's, and reports whether it is one.
func (f *field) take(member jsontext.Member) bool {
	name, value := member.Name, member.Value
	rank := slices.Index(f.names, name)
	switch {
	case rank < 0:
		return false
	case value.IsNull():
		return true
	case f.value != nil && rank > slices.Index(f.names, f.key):
		f.unused = append(f.unused, jsontext.Member{Name: name, Value: value})
		return true
	case f.value != nil && name != f.key:
		f.unused = append(f.unused, jsontext.Member{Name: f.key, Value: f.value})
	}
	f.key, f.value = name, value
	return true
}

// takeAny lets the first of the fields that can have the value keep it, and reports whether one can.
func takeAny(fields []field, member jsontext.Member) bool {
	for i := range fields {
		if fields[i].take(member) {
			return true
		}
	}
	return false
}

// appendUnused appends the values that are not used to the metadata.
func (f *field) appendUnused(metadata []byte) []byte {
	for _, unused := range f.unused {
		metadata = appendMember(metadata, unused.Name, unused.Value)
	}
	return metadata
}

// appendText appends a value as a JSON string: what is not a string as its JSON.
func appendText(output []byte, value jsontext.Value) []byte {
	if value.Is('"') {
		return append(output, value...)
	}
	return appendString(output, string(value))
}

// appendRaw appends a member as it is.
func appendRaw(output []byte, member jsontext.Member) []byte {
	if output[len(output)-1] != '{' {
		output = append(output, ',')
	}
	output = append(append(output, member.Quoted...), ':')
	return append(output, member.Value...)
}

// appendString appends a JSON string.
func appendString(output []byte, text string) []byte {
	return sqlq.AppendValue(output, sqlq.String, text)
}

// appendMember appends a member of an object, with a comma unless it is the first one. The
// value is JSON.
func appendMember(output []byte, key string, value []byte) []byte {
	output = appendKey(output, key)
	return append(output, value...)
}

// appendTexts appends members with texts, which are pairs of the key and the text, without the
// empty ones.
func appendTexts(output []byte, pairs [][2]string) []byte {
	for _, pair := range pairs {
		if pair[1] != "" {
			output = appendMember(output, pair[0], appendString(nil, pair[1]))
		}
	}
	return output
}

// appendKey appends the key of a member and its colon, with a comma before it unless the
// member is the first one of its object.
func appendKey(output []byte, key string) []byte {
	if output[len(output)-1] != '{' {
		output = append(output, ',')
	}
	return append(appendString(output, key), ':')
}
