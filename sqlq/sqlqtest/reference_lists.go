package sqlqtest

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// timeRange is a range of times without its start and with its end, if there is one.
type timeRange struct {
	start, end time.Time
	hasEnd     bool
}

// rangeOf reads the range of the arguments.
func rangeOf(args *arguments) (r timeRange) {
	r.start, _ = args.instant("iso_timestamp_start")
	r.end, r.hasEnd = args.instant("iso_timestamp_end")
	return r
}

func (r timeRange) holds(event Event) bool {
	return event.Timestamp.After(r.start) && (!r.hasEnd || !event.Timestamp.After(r.end))
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

// functionsListRows computes functions.list. It counts the same records and errors as
// functions.invocation-stats (D4).
func functionsListRows(expected *Expected, logs Logs, args *arguments, _ time.Time) error {
	within := rangeOf(args)
	functions := map[functionID]*functionRecords{}
	for _, event := range logs[functionEdgeLogs] {
		if !within.holds(event) {
			continue
		}
		err := eachInvocation(event, args.text("project"), func(element, response record) {
			var id functionID
			id.text, id.given = element.text("function_id")
			function := functions[id]
			if function == nil {
				function = &functionRecords{id: id}
				functions[id] = function
			}
			function.addRecord(element, response)
			function.lastSeen = latest(function.lastSeen, event.Timestamp)
		})
		if err != nil {
			return err
		}
	}
	for _, function := range slices.SortedFunc(maps.Values(functions), func(a, b *functionRecords) int {
		return cmp.Or(cmp.Compare(b.count, a.count), compareIDs(a.id, b.id))
	}) {
		slices.Sort(function.times)
		expected.Rows = append(expected.Rows, function.row())
		expected.Observed = append(expected.Observed, function.times)
	}
	return nil
}

// latest returns the later one of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
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

// projectsListRows computes projects.list.
func projectsListRows(expected *Expected, logs Logs, args *arguments, _ time.Time) error {
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
				return err
			}
			for _, project := range projects {
				if len(wanted) > 0 && !slices.Contains(wanted, project) {
					continue
				}
				if found[project] == nil {
					found[project] = &projectEvents{project: project}
				}
				found[project].count++
				found[project].lastSeen = latest(found[project].lastSeen, event.Timestamp)
			}
		}
	}
	for _, events := range slices.SortedFunc(maps.Values(found), func(a, b *projectEvents) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.project, b.project))
	}) {
		expected.Rows = append(expected.Rows, []any{events.project, events.lastSeen.UTC(), events.count})
	}
	return nil
}
