package tail

import (
	"slices"
	"strings"

	"savedq/internal/logs/logevent"
	"savedq/internal/text/jsontext"
)

// Filter chooses events.
type Filter struct {
	// Project is the only project; empty means any.
	Project string
	// Allowed are the projects that the caller may see; nil means any. An event of several
	// projects must have no other.
	Allowed []string
	// Table is the only source, by its table; empty means any.
	Table string
	// Words must all occur in the id, the message or the metadata, in any letter case, however
	// the sender escaped them. Callers must pass them in lower case.
	Words []string
}

// Words splits a text as [Filter] needs it.
func Words(text string) []string { return strings.Fields(strings.ToLower(text)) }

// arrival is an event with what filters compare. Each is read once for all filters.
type arrival struct {
	event    *logevent.Sourced
	projects []string
	// text is empty until a filter needs it.
	text string
}

func newArrival(event *logevent.Sourced) *arrival {
	return &arrival{event: event, projects: Projects(event)}
}

// lowerText returns the searched text in lower case.
func (a *arrival) lowerText() string {
	if a.text == "" {
		message := ""
		if a.event.EventMessage != nil {
			message = *a.event.EventMessage
		}
		a.text = strings.ToLower(a.event.ID + "\n" + message + "\n" + jsontext.Unescape(string(a.event.Metadata)))
	}
	return a.text
}

func (f *Filter) matches(a *arrival) bool {
	if f.Table != "" && f.Table != a.event.Source.Name || f.Project != "" && !slices.Contains(a.projects, f.Project) {
		return false
	}
	if f.Allowed != nil {
		foreign := func(project string) bool { return !slices.Contains(f.Allowed, project) }
		if len(a.projects) == 0 || slices.ContainsFunc(a.projects, foreign) {
			return false
		}
	}
	return !slices.ContainsFunc(f.Words, func(word string) bool { return !strings.Contains(a.lowerText(), word) })
}

// Projects returns the projects of an event (D23), usually one. Sources that name the project
// in their metadata can name several.
func Projects(event *logevent.Sourced) []string {
	key := event.Source.ProjectMember
	if key == "" {
		if event.Project == nil || *event.Project == "" {
			return nil
		}
		return []string{*event.Project}
	}
	var projects []string
	for element := range jsontext.Value(event.Metadata).Elements() {
		if name := element.Get(key).Text(); name != "" && !slices.Contains(projects, name) {
			projects = append(projects, name)
		}
	}
	return projects
}
