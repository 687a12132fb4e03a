package logevent

import (
	"bytes"
	"encoding/json"
	"slices"

	"savedq/internal/jsontext"
	"savedq/sqlq"
)

// PlaceProject copies the project of an event into its metadata, if the source has the project there
// (D23) and the metadata names none. It is for projects that are not fields of the event as its sender
// wrote it, such as the project of a request: queries of the project would not find the event otherwise.
func PlaceProject(source *sqlq.Table, event *Event) {
	key := source.ProjectMember
	if key == "" || event.Project == nil || *event.Project == "" {
		return
	}
	for element := range jsontext.Value(event.Metadata).Elements() {
		if element.Get(key).Text() != "" {
			return
		}
	}
	project, err := json.Marshal(*event.Project)
	if err != nil { // no string has an error
		return
	}
	input := jsontext.NewScanner(event.Metadata)
	for more := input.Enter('[') && input.Enter('{'); more; more, _ = input.More('}') {
		name, _, _ := input.Key()
		start := input.Position
		if input.Value(0); string(name) == key {
			event.Metadata = slices.Concat(event.Metadata[:start], project, event.Metadata[input.Position:])
			return
		}
	}
	event.Metadata = appendMembers(nil, event.Metadata, slices.Concat([]byte(`"`+key+`":`), project))
}

// appendMembers appends metadata whose first object has further members, the JSON of which has commas between them.
// Metadata that is nil becomes an object.
func appendMembers(output, metadata, members []byte) []byte {
	rest, hasObject := bytes.CutPrefix(metadata, []byte("[{"))
	if !hasObject {
		rest = []byte("}]")
	}
	output = append(append(output, "[{"...), members...)
	if rest[0] != '}' {
		output = append(output, ',')
	}
	return append(output, rest...)
}
