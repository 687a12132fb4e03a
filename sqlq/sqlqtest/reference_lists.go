package sqlqtest

import (
	"cmp"
	"slices"
	"time"

	"savedq/sqlq"
)

// functionListColumns are the columns of functions.list.
func functionListColumns() []sqlq.Column {
	return []sqlq.Column{
		{Name: "function_id", Type: sqlq.String, Nullable: true},
		{Name: "invocations", Type: sqlq.Int64},
		{Name: "errors", Type: sqlq.Int64},
		{Name: p95Column, Type: sqlq.Float64, Nullable: true},
		{Name: "last_seen", Type: sqlq.Timestamp},
	}
}

// projectListColumns are the columns of projects.list.
func projectListColumns() []sqlq.Column {
	return []sqlq.Column{
		{Name: "project", Type: sqlq.String},
		{Name: "last_seen", Type: sqlq.Timestamp},
		{Name: "events", Type: sqlq.Int64},
	}
}

// timeRange is a range of times without its start and with its end.
type timeRange struct{ start, end time.Time }

// rangeOf reads the range of the arguments, both of which have defaults.
func rangeOf(args *arguments) timeRange {
	start, _ := args.instant("iso_timestamp_start")
	end, _ := args.instant("iso_timestamp_end")
	return timeRange{start, end}
}

func (r timeRange) holds(event Event) bool {
	return event.Timestamp.After(r.start) && !event.Timestamp.After(r.end)
}

// functionID identifies a function; records without an id are one function.
type functionID struct {
	text  string
	given bool
}

// functionRecords are the records of a function.
type functionRecords struct {
	invocations

	id       functionID
	lastSeen time.Time
}

// referenceFunctionsList computes functions.list. A record is that of
// functions.invocation-stats (D4), and so is an error.
func referenceFunctionsList(events []Event, args *arguments) (*Expected, error) {
	project := args.text("project")
	within := rangeOf(args)
	functions := map[functionID]*functionRecords{}
	for _, event := range events {
		if !within.holds(event) {
			continue
		}
		if err := addFunctions(functions, event, project); err != nil {
			return nil, err
		}
	}
	ordered := make([]*functionRecords, 0, len(functions))
	for _, function := range functions {
		ordered = append(ordered, function)
	}
	slices.SortFunc(ordered, func(a, b *functionRecords) int {
		return cmp.Or(cmp.Compare(b.count, a.count), compareIDs(a.id, b.id))
	})
	expected := &Expected{Result: sqlq.Result{Columns: functionListColumns(), Rows: [][]any{}}, Observed: [][]float64{}}
	for _, function := range ordered {
		slices.Sort(function.times)
		expected.Rows = append(expected.Rows, function.row())
		expected.Observed = append(expected.Observed, function.times)
	}
	return expected, nil
}

// compareIDs orders ids; no id comes last.
func compareIDs(a, b functionID) int {
	switch {
	case a.given == b.given:
		return cmp.Compare(a.text, b.text)
	case a.given:
		return -1
	}
	return 1
}

// addFunctions adds the records of an event to those of their functions.
func addFunctions(functions map[functionID]*functionRecords, event Event, project string) error {
	elements, err := metadataRecords(event.Metadata)
	if err != nil {
		return err
	}
	for _, element := range elements {
		if ref, has := element.text("project_ref"); !has || ref != project {
			continue
		}
		var id functionID
		id.text, id.given = element.text("function_id")
		for _, response := range element.nested("response") {
			function := functions[id]
			if function == nil {
				function = &functionRecords{id: id, lastSeen: event.Timestamp}
				functions[id] = function
			}
			function.addRecord(element, response)
			if event.Timestamp.After(function.lastSeen) {
				function.lastSeen = event.Timestamp
			}
		}
	}
	return nil
}

func (f *functionRecords) row() []any {
	row := []any{nil, f.count, f.errors, nil, f.lastSeen.UTC()}
	if f.id.given {
		row[0] = f.id.text
	}
	if len(f.times) > 0 {
		row[3] = f.times[exactRank(len(f.times), 95)]
	}
	return row
}

// projectField returns where the events of a table have their project (D23): the name of a
// field of the metadata's elements, or "" for the column project.
func projectField(table string) string {
	switch table {
	case functionEdgeLogs, "function_logs":
		return "project_ref"
	case "realtime_logs", "storage_logs":
		return "project"
	default:
		return ""
	}
}

// projectsOf returns the projects of an event, each once. An empty text is no project.
func projectsOf(table string, event Event) ([]string, error) {
	field := projectField(table)
	if field == "" {
		if event.Project == nil || *event.Project == "" {
			return nil, nil
		}
		return []string{*event.Project}, nil
	}
	elements, err := metadataRecords(event.Metadata)
	if err != nil {
		return nil, err
	}
	var projects []string
	for _, element := range elements {
		if project, _ := element.text(field); project != "" && !slices.Contains(projects, project) {
			projects = append(projects, project)
		}
	}
	return projects, nil
}

// projectEvents are the events of a project.
type projectEvents struct {
	project  string
	lastSeen time.Time
	count    int64
}

// referenceProjectsList computes projects.list.
func referenceProjectsList(logs Logs, args *arguments) (*Expected, error) {
	wanted := args.texts("projects")
	within := rangeOf(args)
	found := map[string]*projectEvents{}
	for _, table := range Tables() {
		for _, event := range logs[table] {
			if !within.holds(event) {
				continue
			}
			projects, err := projectsOf(table, event)
			if err != nil {
				return nil, err
			}
			for _, project := range projects {
				if len(wanted) > 0 && !slices.Contains(wanted, project) {
					continue
				}
				if found[project] == nil {
					found[project] = &projectEvents{project: project, lastSeen: event.Timestamp}
				}
				found[project].add(event)
			}
		}
	}
	ordered := make([]*projectEvents, 0, len(found))
	for _, events := range found {
		ordered = append(ordered, events)
	}
	slices.SortFunc(ordered, func(a, b *projectEvents) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.project, b.project))
	})
	expected := &Expected{Result: sqlq.Result{Columns: projectListColumns(), Rows: [][]any{}}}
	for _, events := range ordered {
		expected.Rows = append(expected.Rows, []any{events.project, events.lastSeen.UTC(), events.count})
	}
	return expected, nil
}

func (p *projectEvents) add(event Event) {
	p.count++
	if event.Timestamp.After(p.lastSeen) {
		p.lastSeen = event.Timestamp
	}
}
