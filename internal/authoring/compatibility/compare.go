package compatibility

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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

// params compares parameters.
func (c *comparison) params(old, now *Endpoint) {
	for i := range old.Params {
		name := old.Params[i].Name
		at := slices.IndexFunc(now.Params, func(param Param) bool { return param.Name == name })
		if at < 0 {
			c.breaks(now.Place, "parameter %q is removed: GraphQL callers that give it break, and REST ignores it", name)
			continue
		}
		c.param(&old.Params[i], &now.Params[at])
	}
	for i := range now.Params {
		param := &now.Params[i]
		switch isNew := !slices.ContainsFunc(old.Params, func(other Param) bool { return other.Name == param.Name }); {
		case isNew && param.Required:
			c.breaks(param.Place, "parameter %q is new and required: callers that do not give it break", param.Name)
		case isNew:
			c.add(param.Place, "parameter %q", param.Name)
		}
	}
}

func (c *comparison) param(old, now *Param) {
	const none = "none"
	breaks := func(format string, args ...any) {
		c.breaks(now.Place, "parameter %q: %s", now.Name, fmt.Sprintf(format, args...))
	}
	c.renamed(now.Place, fmt.Sprintf("GraphQL argument of parameter %q", now.Name), old.Argument, now.Argument)
	if old.Type != now.Type {
		breaks("type was %s and is %s: callers that give it break", old.Type, now.Type)
		return
	}
	c.renamed(now.Place, fmt.Sprintf("GraphQL type of parameter %q", now.Name), old.GraphQLType, now.GraphQLType)
	switch {
	case now.Required && !old.Required:
		breaks("was optional and is required: callers that leave it out break")
	case !now.Required && !old.Required && !slices.Equal(old.Default, now.Default):
		breaks("default was %s and is %s: callers that leave it out get other rows", showDefault(old.Default), showDefault(now.Default))
	}
	c.allowed(old, now, breaks)
	if now.Pattern != "" && now.Pattern != old.Pattern {
		breaks("pattern was %s and is %s: values that matched before may not match", cmp.Or(old.Pattern, none), now.Pattern)
	}
	if now.Format != old.Format {
		breaks("format was %s and is %s: values have another meaning", cmp.Or(old.Format, none), cmp.Or(now.Format, none))
	}
	if now.MaxLength < old.MaxLength {
		breaks("max_length was %d and is %d: longer values are rejected", old.MaxLength, now.MaxLength)
	}
	if now.MaxItems < old.MaxItems {
		breaks("max_items was %d and is %d: longer lists are rejected", old.MaxItems, now.MaxItems)
	}
	if now.Min != "" && (old.Min == "" || exceeds(now.Type, now.Min, old.Min)) {
		breaks("min was %s and is %s: smaller values are rejected", cmp.Or(old.Min, none), now.Min)
	}
	if now.Max != "" && (old.Max == "" || exceeds(now.Type, old.Max, now.Max)) {
		breaks("max was %s and is %s: greater values are rejected", cmp.Or(old.Max, none), now.Max)
	}
	if old.Scope != now.Scope && (old.Scope != "" || now.Scope == sqlq.ScopeTier) {
		breaks("scope was %s and is %s: limited tokens lose access", cmp.Or(string(old.Scope), none), cmp.Or(string(now.Scope), none))
	}
}

// allowed compares the allowed values, their enum values and the fallback.
func (c *comparison) allowed(old, now *Param, breaks func(format string, args ...any)) {
	if len(old.Allowed) == 0 && len(now.Allowed) > 0 {
		breaks("any value was allowed, and only %s are: other values are rejected", strings.Join(now.Allowed, ", "))
		return
	}
	if len(now.Allowed) == 0 {
		return
	}
	for i, value := range old.Allowed {
		at := slices.Index(now.Allowed, value)
		switch {
		case at < 0:
			breaks("allowed value %q is removed: callers that give it break", value)
		case i < len(old.Values) && at < len(now.Values):
			c.renamed(now.Place, fmt.Sprintf("GraphQL value of %q of parameter %q", value, now.Name), old.Values[i], now.Values[at])
		}
	}
	for _, value := range now.Allowed {
		if !slices.Contains(old.Allowed, value) {
			c.add(now.Place, "allowed value %q of parameter %q", value, now.Name)
		}
	}
	switch {
	case old.Fallback != nil && now.Fallback == nil:
		breaks("fallback %s is removed: values that allowed does not list are rejected", *old.Fallback)
	case old.Fallback != nil && *old.Fallback != *now.Fallback:
		breaks("fallback was %s and is %s: values that allowed does not list give other rows", *old.Fallback, *now.Fallback)
	}
}

// exceeds reports whether a bound is greater than a limit.
func exceeds(of sqlq.Type, bound, limit string) bool {
	value, err := (&sqlq.Param{Type: of}).Parse(limit)
	if err == nil {
		_, err = (&sqlq.Param{Type: of, Max: &sqlq.Bound{Text: limit, Value: value}}).Parse(bound)
	}
	return err != nil
}

func showDefault(values []string) string {
	switch len(values) {
	case 0:
		return "none"
	case 1:
		return values[0]
	}
	return "[" + strings.Join(values, ", ") + "]"
}
