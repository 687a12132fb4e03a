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
	rest, isObject := bytes.CutPrefix(event.Metadata, []byte("[{"))
	switch {
	case !isObject:
		rest = []byte("}]")
	case rest[0] != '}':
		project = append(project, ',')
	}
	event.Metadata = slices.Concat([]byte(`[{"`+key+`":`), project, rest)
}
