package compatibility

import (
	"fmt"
	"slices"

	"savedq/sqlq"
)

// Changes are the changes of saved queries.
type Changes struct {
	// Breaking lists the changes that break a caller.
	Breaking sqlq.FileErrors
	// Additions lists what is new and breaks nobody.
	Additions sqlq.FileErrors
}

// Compare returns the changes between two states of the saved queries. source names the earlier
// one, in messages about what is no longer there.
func Compare(before, after []Endpoint, source string) Changes {
	c := &comparison{}
	known := make(map[string]bool)
	for _, old := range before {
		at := slices.IndexFunc(after, func(now Endpoint) bool { return now.isFoundBy(old.ID) })
		if at < 0 {
			at = slices.IndexFunc(after, func(now Endpoint) bool { return now.isFoundBy(old.Name) })
		}
		if at < 0 {
			c.Breaking = append(c.Breaking, &sqlq.FileError{File: source, Message: fmt.Sprintf("saved query %s (id %s) is removed: its callers break", old.Name, old.ID)})
			continue
		}
		known[after[at].ID] = true
		c.endpoint(&old, &after[at])
	}
	for _, now := range after {
		if !known[now.ID] {
			c.add(now.Place, "saved query %s", now.Name)
		}
	}
	c.Breaking.Sort()
	c.Additions.Sort()
	return c.Changes
}

type comparison struct{ Changes }

// breaks adds a breaking change, with the callers that it breaks.
func (c *comparison) breaks(place sqlq.Place, format string, args ...any) {
	c.Breaking = append(c.Breaking, place.Mistakef(format, args...))
}

func (c *comparison) add(place sqlq.Place, format string, args ...any) {
	c.Additions = append(c.Additions, place.Mistakef(format, args...))
}

func (c *comparison) endpoint(old, now *Endpoint) {
	if !now.isFoundBy(old.ID) {
		c.breaks(now.Place, "id was %s and is %s: callers by id break; keep the id, or add it to aliases", old.ID, now.ID)
	}
	if !now.isFoundBy(old.Name) {
		c.breaks(now.Place, "name was %s and is %s: callers by name break; keep the name, or add it to aliases", old.Name, now.Name)
	}
	for _, alias := range old.Aliases {
		if !now.isFoundBy(alias) {
			c.breaks(now.Place, "alias %s is removed: callers that use it break", alias)
		}
	}
	c.renamed(now.Place, "GraphQL field", old.Field, now.Field)
	c.renamed(now.Place, "GraphQL type of the rows", old.Row, now.Row)
	if now.MaxRows < old.MaxRows {
		c.breaks(now.Place, "max_rows was %d and is %d: callers with more rows lose some", old.MaxRows, now.MaxRows)
	}
	c.params(old, now)
	c.columns("column", "", old.Columns, now.Columns, now.Place)
}

// renamed compares names in the GraphQL schema.
func (c *comparison) renamed(place sqlq.Place, kind, old, now string) {
	if old != now {
		c.breaks(place, "%s was %s and is %s: GraphQL documents that name it break", kind, old, now)
	}
}

// columns compares columns, or the fields of a STRUCT at a path.
func (c *comparison) columns(kind, path string, old, now []Column, place sqlq.Place) {
	for i := range old {
		name := path + old[i].Name
		at := slices.IndexFunc(now, func(column Column) bool { return column.Name == old[i].Name })
		if at < 0 {
			c.breaks(place, "%s %q is removed: callers that read it break", kind, name)
			continue
		}
		c.column(kind, name, &old[i], &now[at])
	}
	for i := range now {
		if !slices.ContainsFunc(old, func(column Column) bool { return column.Name == now[i].Name }) {
			c.add(now[i].Place, "%s %q", kind, path+now[i].Name)
		}
	}
}

func (c *comparison) column(kind, name string, old, now *Column) {
	switch {
	case old.Type != now.Type:
		c.breaks(now.Place, "%s %q was %s and is %s: callers that read it break", kind, name, old.Type, now.Type)
	case old.GraphQLType != now.GraphQLType:
		c.renamed(now.Place, fmt.Sprintf("GraphQL type of %s %q", kind, name), old.GraphQLType, now.GraphQLType)
	}
	if now.Nullable && !old.Nullable && !old.Type.IsArray() {
		c.breaks(now.Place, "%s %q was never null and is nullable: callers that do not expect null break", kind, name)
	}
	c.renamed(now.Place, fmt.Sprintf("GraphQL field of %s %q", kind, name), old.Field, now.Field)
	if old.Type == now.Type && len(old.Fields) > 0 { // a server does not return those of deep STRUCTs
		c.columns("field", name+".", old.Fields, now.Fields, now.Place)
	}
}
