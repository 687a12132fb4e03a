package logevent

import (
	"bytes"
	"encoding/json"
	"slices"

	"savedq/internal/jsontext"
	"savedq/sqlq/tables"
)

// Source is one of the nine log sources (D22): a table of the store.
type Source tables.Source

// Sources returns the nine log sources, in the order of D22.
func Sources() []Source {
	var sources []Source
	for _, source := range tables.Sources() {
		sources = append(sources, Source(source))
	}
	return sources
}

// FindSource returns the source with a table name or a senders' name.
func FindSource(name string) (Source, bool) {
	for _, source := range Sources() {
		if name == source.Table || name == source.SenderName {
			return source, true
		}
	}
	return Source{}, false
}

// ProjectKey returns the member of an event's metadata that names its project; empty if that is in the
// column project (D23).
func (s Source) ProjectKey() string {
	switch s.Table {
	case "function_edge_logs", "function_logs":
		return "project_ref"
	case "realtime_logs", "storage_logs":
		return "project"
	default:
		return ""
	}
}

// PlaceProject copies the project of an event into its metadata, if the source has the project there
// (D23) and the metadata names none. It is for projects that are not fields of the event as its sender
// wrote it, such as that of a request: queries of the project would not find the event otherwise.
func (s Source) PlaceProject(event *Event) {
	key := s.ProjectKey()
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
