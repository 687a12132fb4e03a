package eventrow

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// Reader computes the rows of events. It is not safe for concurrent use.
type Reader struct {
	sources map[string]*sourceReader
	// last is the source of the last event.
	last *sourceReader
	keys projectKeys
	row  []driver.Value
	// texts and accepted are what the row refers to, the texts by their columns.
	texts    [fixedWidth]json.RawMessage
	accepted time.Time
	// records are the records of the last event, if it has none or several.
	records  [][]driver.Value
	mistyped []MistypedField
	// codes are the status codes as values, which are allocated once.
	codes [1000]driver.Value
}

// sourceReader reads the events of a source.
type sourceReader struct {
	table *sqlq.Table
	// name is the name of the source, as a value.
	name driver.Value
	// paths are the paths of all that is read from metadata.
	paths  paths
	values values
	search []searchReader
	// project is the slot of the member with the project, or -1.
	project int
	// shape, records, nested and recorded are for a source with records; records is nil for others. nested is the slot
	// of the nested list, and recorded those of the fields.
	shape    recordShape
	records  *Records
	nested   int
	recorded []int
	// fields are the slots of the source's fields, and texts the texts of those that are strings. Their columns begin
	// at first.
	fields []int
	texts  []json.RawMessage
	first  int
}

// NewReader returns a reader of the events of the log sources among the tables. Its rows have [Columns].
func NewReader(tables sqlq.Tables) *Reader {
	r := &Reader{sources: make(map[string]*sourceReader), keys: make(projectKeys)}
	width := fixedWidth
	for _, table := range tables.Sources() {
		r.sources[table.Name] = newSourceReader(table, width)
		width += len(table.Fields)
	}
	r.row = make([]driver.Value, width)
	return r
}

func newSourceReader(table *sqlq.Table, first int) *sourceReader {
	s := &sourceReader{table: table, name: table.Name, project: -1, first: first, texts: make([]json.RawMessage, len(table.Fields))}
	slots := 1
	for _, field := range sqlq.SearchFields() {
		search := searchReader{SearchField: field}
		for _, path := range field.Paths {
			search.slots = append(search.slots, s.paths.add(path, &slots))
		}
		s.search = append(s.search, search)
	}
	if table.ProjectMember != "" {
		s.project = s.paths.add([]string{table.ProjectMember}, &slots)
	}
	var recorded bool
	if s.shape, recorded = shapeOf(table.Name); recorded {
		s.records = NewRecords(table.Name)
		s.nested = s.paths.add([]string{s.shape.nested}, &slots)
		for _, field := range s.shape.fields {
			path := []string{field.Name}
			if field.inNested {
				path = []string{s.shape.nested, field.Name}
			}
			s.recorded = append(s.recorded, s.paths.add(path, &slots))
		}
	}
	for _, field := range table.Fields {
		s.fields = append(s.fields, s.paths.add(field.Path, &slots))
	}
	s.values = newValues(slots)
	return s
}

// Row returns the row of an event, with a value for each of [Columns]: nil, or what the column's type has in
// [driver.Value], a [sqlq.EpochDay] or [sqlq.Decimal], or a pointer to a string, a time or a [json.RawMessage]. These may be
// nil, which is NULL. A time of acceptance that is zero is NULL. The row is valid until the next call, and refers to the
// event, which must not change until then. The metadata of the event must be valid JSON.
func (r *Reader) Row(source *sqlq.Table, event *logevent.Event, accepted time.Time) ([]driver.Value, error) {
	s := r.last
	if s == nil || s.table != source {
		var err error
		if s, err = r.change(source); err != nil {
			return nil, err
		}
	}
	r.mistyped, r.records = r.mistyped[:0], nil
	s.values.read(event.Metadata, &s.paths)
	r.row[atTimestamp], r.row[atID], r.row[atMessage] = &event.Timestamp, &event.ID, event.EventMessage
	r.row[atProject], r.row[atMetadata] = event.Project, &event.Metadata
	r.row[atAccepted] = nil
	if !accepted.IsZero() {
		r.accepted = accepted
		r.row[atAccepted] = &r.accepted
	}
	r.setProject(s, event)
	r.setSearch(s)
	if s.records != nil {
		r.setRecords(s, event)
	}
	r.setFields(s)
	return r.row, nil
}

// change makes a source the last one.
func (r *Reader) change(source *sqlq.Table) (*sourceReader, error) {
	next := r.sources[source.Name]
	if next == nil {
		return nil, fmt.Errorf("%s is no source of the rows", source.Name)
	}
	if r.last != nil && r.last != next {
		clear(r.row[atSingleRecord:fixedWidth])
		clear(r.row[r.last.first : r.last.first+len(r.last.fields)])
	}
	r.row[atSource] = next.name
	r.last = next
	return next, nil
}

// Records returns the records of the last event, if it has several, and those that do not fit into its row. They have
// [RecordColumns], and are the caller's.
func (r *Reader) Records() [][]driver.Value { return r.records }

// Mistyped returns the mistyped fields of the last event, each once, valid until the next one.
func (r *Reader) Mistyped() []MistypedField { return r.mistyped }

// setSearch sets the columns of the fields of logs.search.
func (r *Reader) setSearch(s *sourceReader) {
	places, isPlaced := uint64(0), true
	for i := range s.search {
		text, place, isOnly := s.search[i].read(s.values.found)
		if i == 0 { // the status
			status := statusOf(text)
			isOnly = isOnly && len(status) == len(text)
			text = status
		}
		r.setText(atStatus+i, text)
		places |= place
		isPlaced = isPlaced && isOnly
	}
	r.row[atPlaces] = nil
	if isPlaced {
		r.row[atPlaces] = places
	}
}

// setText sets a column of text, which is NULL for nil.
func (r *Reader) setText(at int, text json.RawMessage) {
	if text == nil {
		r.row[at] = nil
		return
	}
	r.texts[at] = text
	r.row[at] = &r.texts[at]
}

// setProject sets the columns about the project of an event (D23).
func (r *Reader) setProject(s *sourceReader, event *logevent.Event) {
	r.row[atProjectKey], r.row[atOfProjects] = uint64(0), nil
	var project json.RawMessage
	switch {
	case s.project < 0:
		r.row[atOfProject] = event.Project
		if event.Project != nil {
			r.row[atProjectKey] = keyOf(r.keys, *event.Project)
		}
		return
	case s.values.lists[0].length <= 1:
		if value := s.values.found[s.project]; !value.IsNull() {
			project = text(value)
		}
	default:
		projects := projectsIn(jsontext.Value(event.Metadata), s.table.ProjectMember)
		if len(projects) == 1 {
			project = json.RawMessage(projects[0])
		} else if len(projects) > 1 {
			r.setText(atOfProjects, listOf(projects))
		}
	}
	r.setText(atOfProject, project)
	if project != nil {
		r.row[atProjectKey] = keyOf(r.keys, []byte(project))
	}
}

// setRecords sets the columns of the record of an event, or the records that do not fit there.
func (r *Reader) setRecords(s *sourceReader, event *logevent.Event) {
	clear(r.row[atRecord:fixedWidth])
	r.row[atSingleRecord], r.row[atTyped] = false, false
	nested := s.values.lists[s.nested]
	switch {
	case s.values.lists[0].length > 1 || s.values.found[s.nested] != nil && nested.length > 1:
		r.setSeveral(s, event)
		return
	case s.values.found[s.nested] == nil || nested.length == 0 || nested.opens != '{':
		return
	}
	r.row[atSingleRecord] = true
	isTyped := true
	for i := range s.shape.fields {
		field, value := &s.shape.fields[i], s.values.found[s.recorded[i]]
		r.mistyped = s.shape.noteMistyped(r.mistyped, field, value)
		isTyped = isTyped && field.holds(value)
		if value == nil || value[0] == 'n' || !field.accepts(value[0]) {
			continue
		}
		switch field.kind {
		case textKind:
			r.setText(atRecord+field.at, unquoted(value))
		case codeKind:
			r.row[atRecord+field.at] = r.code(statusCode(value))
		default:
			r.row[atRecord+field.at] = field.read(value)
		}
	}
	r.row[atTyped] = isTyped
}

// setSeveral is setRecords for an event that can have several records. A single one is in the row only if its project is
// that of the event, by whose key it is found.
func (r *Reader) setSeveral(s *sourceReader, event *logevent.Event) {
	records := s.records.Of(event)
	r.mistyped = append(r.mistyped, s.records.Mistyped...)
	for _, record := range records {
		wide := make([]driver.Value, len(RecordColumns()))
		wide[0], wide[1], wide[2] = s.name, event.Timestamp, r.row[atProjectKey]
		wide[3], wide[4] = r.copied(atOfProject), r.copied(atOfProjects)
		for i := range s.shape.fields {
			wide[beforeRecord+s.shape.fields[i].at] = record[1+i]
		}
		if ref, ok := wide[beforeRecord+atProjectRef].(string); ok { // a record is found by its own project
			wide[2] = keyOf(r.keys, ref)
		}
		r.records = append(r.records, wide)
	}
	if len(r.records) != 1 {
		return
	}
	values := r.records[0][beforeRecord:]
	if ref, ok := values[atProjectRef].(string); ok && (r.row[atOfProject] == nil || string(r.texts[atOfProject]) != ref) {
		return
	}
	r.row[atSingleRecord], r.records = true, nil
	copy(r.row[atRecord:fixedWidth], values)
}

// copied returns a text of the row that does not refer to the event, or nil.
func (r *Reader) copied(at int) driver.Value {
	switch value := r.row[at].(type) {
	case *string:
		if value != nil {
			return *value
		}
	case *json.RawMessage:
		return string(*value)
	}
	return nil
}

// code returns a status code as a value.
func (r *Reader) code(code int64) driver.Value {
	if code < 0 || code >= int64(len(r.codes)) {
		return code
	}
	if r.codes[code] == nil {
		r.codes[code] = code
	}
	return r.codes[code]
}

// setFields sets the columns of the fields of a source.
func (r *Reader) setFields(s *sourceReader) {
	for i, slot := range s.fields {
		field, column, ok := &s.table.Fields[i], s.first+i, false
		if field.Type == sqlq.String {
			r.row[column] = nil
			if s.texts[i], ok = fieldText(s.values.found[slot]); s.texts[i] != nil {
				r.row[column] = &s.texts[i]
			}
		} else {
			r.row[column], ok = readField(field.Type, s.values.found[slot])
		}
		if !ok {
			r.mistyped = noteMistypedField(r.mistyped, field)
		}
	}
}
