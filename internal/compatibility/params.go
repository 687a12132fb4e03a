package compatibility

import (
	"fmt"
	"slices"
	"strings"

	"savedq/sqlq"
)

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
		breaks("pattern was %s and is %s: values that matched before may not match", orNone(old.Pattern), now.Pattern)
	}
	if now.Format != old.Format {
		breaks("format was %s and is %s: values have another meaning", orNone(old.Format), orNone(now.Format))
	}
	if now.MaxLength < old.MaxLength {
		breaks("max_length was %d and is %d: longer values are rejected", old.MaxLength, now.MaxLength)
	}
	if now.MaxItems < old.MaxItems {
		breaks("max_items was %d and is %d: longer lists are rejected", old.MaxItems, now.MaxItems)
	}
	if now.Min != "" && (old.Min == "" || exceeds(now.Type, now.Min, old.Min)) {
		breaks("min was %s and is %s: smaller values are rejected", orNone(old.Min), now.Min)
	}
	if now.Max != "" && (old.Max == "" || exceeds(now.Type, old.Max, now.Max)) {
		breaks("max was %s and is %s: greater values are rejected", orNone(old.Max), now.Max)
	}
	if old.Scope != now.Scope && (old.Scope != "" || now.Scope == sqlq.ScopeTier) {
		breaks("scope was %s and is %s: limited tokens lose access", orNone(string(old.Scope)), orNone(string(now.Scope)))
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

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
