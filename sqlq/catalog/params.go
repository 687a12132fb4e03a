package catalog

import (
	"regexp"
	"slices"
	"strings"

	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

const (
	// paramPattern has no leading underscore: camelCase drops one.
	paramPattern = `^[a-z][a-z0-9_]*$`
	paramMeaning = "of lower-case letters, digits and underscores, which begins with a letter"
	// defaultMaxItems and highestMaxItems limit the elements of an array.
	defaultMaxItems = 100
	highestMaxItems = 10_000
)

func readParam(node strictyaml.Node, query *sqlq.SavedQuery, places *queryPlaces) {
	m := node.Mapping("name", "type", "description", "deprecated", "required", "default", "allowed", "fallback", "pattern", "pattern_message", "format",
		"bound_pattern", "max_length", "min", "max", "max_items", "scope", extensionKey)
	if m == nil {
		return
	}
	m.Require("name", "type", "description")
	param := sqlq.Param{
		Name:           ReadName(m, "name", paramPattern, paramMeaning),
		Type:           readParamType(m),
		Description:    ReadDescription(m),
		Deprecated:     m.Text("deprecated"),
		Required:       m.Boolean("required", false),
		Allowed:        readAllowed(m, places.sources),
		Fallback:       m.Scalar("fallback"),
		Pattern:        m.Text("pattern"),
		PatternMessage: m.Text("pattern_message"),
		Regex:          m.OneOf("format", "regex") != "",
		BoundPattern:   m.Text("bound_pattern"),
		MaxLength:      m.Integer("max_length", defaultMaxLength, 1, highestMaxLength),
		Scope:          sqlq.Scope(m.OneOf("scope", string(sqlq.ScopeProject), string(sqlq.ScopeTier))),
	}
	if param.Type.IsArray() {
		param.MaxItems = m.Integer("max_items", defaultMaxItems, 1, highestMaxItems)
	}
	param.Default = readDefault(m, &param)
	param.Min, param.Max = readBound(m, "min", &param), readBound(m, "max", &param)
	if param.Name == sqlq.NowParam {
		m.At("name").Mistakef("parameter %q is set for every query and must not be declared", sqlq.NowParam)
	}
	switch _, declared := places.params[param.Name]; {
	case param.Name == "": // reported already
	case declared:
		m.At("name").Mistakef("parameter %q is declared twice", param.Name)
	default:
		places.params[param.Name] = places.of(m.At("name"))
	}
	checkParam(m, &param)
	checkScope(m, &param, query)
	param.Extension = places.extend(&param, m, places.file)
	query.Params = append(query.Params, param)
}

// readParamType reads the type of a parameter, or an array of one.
func readParamType(m *strictyaml.Mapping) sqlq.Type {
	text := m.Text("type")
	given := sqlq.ParseType(text)
	switch element := given.Element(); {
	case text == "" || slices.Contains(sqlq.ParamTypes(), element):
		return given
	case element == sqlq.JSON || element == sqlq.Datetime || given.Innermost() == sqlq.Struct || element.IsArray():
		m.At("type").Mistakef("type %s is for columns; a parameter has one of %s, or an ARRAY of one", given, sqlq.Join(sqlq.ParamTypes()))
	default:
		m.At("type").Mistakef("type %q is unknown; use one of %s, or an ARRAY of one, such as ARRAY<STRING>", text, sqlq.Join(sqlq.ParamTypes()))
	}
	return ""
}

// readDefault reads the default: a single value, or a list for an array.
func readDefault(m *strictyaml.Mapping, param *sqlq.Param) []string {
	if !m.Has("default") {
		return nil
	}
	if !param.Type.IsArray() {
		if text := m.Scalar("default"); text != nil {
			return []string{*text}
		}
		return nil
	}
	var texts []string
	for _, node := range m.List("default", emptyList) {
		text, ok := node.Scalar()
		if !ok {
			node.Mistakef("default must be a list of single values")
			continue
		}
		texts = append(texts, text)
	}
	return texts
}

// readBound reads the least or the greatest value.
func readBound(m *strictyaml.Mapping, key string, param *sqlq.Param) *sqlq.Bound {
	text := m.Scalar(key)
	if text == nil || param.Type == "" {
		return nil
	}
	switch param.Type.Element() {
	case sqlq.Int64, sqlq.Float64, sqlq.Numeric, sqlq.Timestamp, sqlq.Date:
	default:
		m.At(key).Mistakef("%s is for parameters of type INT64, FLOAT64, NUMERIC, TIMESTAMP or DATE", key)
		return nil
	}
	value, err := (&sqlq.Param{Type: param.Type}).Parse(*text)
	if err != nil {
		m.At(key).Mistakef("%s: %s", key, err)
		return nil
	}
	return &sqlq.Bound{Text: *text, Value: value}
}

// checkParam reports settings of a parameter that contradict each other.
func checkParam(m *strictyaml.Mapping, param *sqlq.Param) {
	for _, key := range []string{"format", "max_length"} {
		if m.Has(key) && param.Type != "" && param.Type.Element() != sqlq.String {
			m.At(key).Mistakef("%s is for parameters of type %s", key, sqlq.String)
		}
	}
	if m.Has("max_items") && param.Type != "" && !param.Type.IsArray() {
		m.At("max_items").Mistakef("max_items is for parameters of an ARRAY type")
	}
	if param.Required && param.Default != nil {
		m.At("default").Mistakef("a required parameter cannot have a default")
	}
	if param.Required && param.Deprecated != "" {
		m.At("deprecated").Mistakef("a required parameter cannot be deprecated, because callers must give it; make it optional first")
	}
	if param.Fallback != nil && len(param.Allowed) == 0 {
		m.At("fallback").Mistakef("fallback needs allowed, because it replaces values that allowed does not list")
	}
	if param.Pattern != "" {
		if err := param.SetPattern(param.Pattern); err != nil {
			m.At("pattern").Mistakef("pattern does not compile: %s", err)
			param.Pattern = "" // so that values are checked against the rest
		}
	}
	if m.Has("pattern_message") && !m.Has("pattern") {
		m.At("pattern_message").Mistakef("pattern_message needs pattern, because it says what to do if a value does not match")
	}
	if param.BoundPattern != "" {
		checkBoundPattern(m, param)
	}
	checkBounds(m, param)
	if len(param.Default) > param.MaxItems && param.Type.IsArray() {
		m.At("default").Mistakef("default has %d values, which is more than max_items, %d", len(param.Default), param.MaxItems)
	}
	if param.HasRelativeDefault() {
		checkRelativeDefault(m, param)
	} else {
		checkValues(m, param, "default", param.Default)
	}
	if param.Fallback != nil {
		checkValues(m, param, "fallback", []string{*param.Fallback})
	}
	checkValues(m, param, "allowed", param.Allowed)
}

// checkBoundPattern reports a pattern that cannot be one for a bound value.
func checkBoundPattern(m *strictyaml.Mapping, param *sqlq.Param) {
	at := m.At("bound_pattern")
	switch _, err := regexp.Compile(param.Literal("a.c")); {
	case !param.Regex:
		at.Mistakef("bound_pattern needs format: regex")
	case strings.Count(param.BoundPattern, sqlq.BoundValue) != 1:
		at.Mistakef("bound_pattern must have %s once, in place of the value of a token", sqlq.BoundValue)
	case err != nil:
		at.Mistakef("bound_pattern does not compile: %s", err)
	}
}

// checkBounds reports a least value that is more than the greatest one.
func checkBounds(m *strictyaml.Mapping, param *sqlq.Param) {
	if param.Min == nil || param.Max == nil {
		return
	}
	atMost := sqlq.Param{Type: param.Type, Max: param.Max}
	if _, err := atMost.Parse(param.Min.Text); err != nil {
		m.At("max").Mistakef("max %s is less than min %s", param.Max.Text, param.Min.Text)
	}
}

// checkRelativeDefault reports a relative default that cannot be read, or that the parameter
// cannot have, because its values are limited.
func checkRelativeDefault(m *strictyaml.Mapping, param *sqlq.Param) {
	if _, err := sqlq.ParseFromNow(param.Default[0]); err != nil {
		m.At("default").Mistakef("default: %s", err)
	}
	for _, key := range []string{"allowed", "pattern", "min", "max"} {
		if m.Has(key) {
			m.At("default").Mistakef("a default that is relative to now cannot be checked against %s; leave one of them out", key)
		}
	}
}

// checkValues checks values of the file itself against the parameter.
func checkValues(m *strictyaml.Mapping, param *sqlq.Param, key string, texts []string) {
	for _, text := range texts {
		if len(param.Allowed) > 0 && !slices.Contains(param.Allowed, text) {
			m.At(key).Mistakef("%s %q is not among the allowed values", key, text)
			continue
		}
		if param.Type == "" {
			continue // reported already
		}
		if text == "" {
			m.At(key).Mistakef("%s must not be empty; leave it out to get NULL", key)
			continue
		}
		if _, err := param.Parse(text); err != nil {
			m.At(key).Mistakef("%s: %s", key, err)
		}
	}
}

// logSources is the value of allowed that stands for the log sources that the SQL reads, each by its name and
// its first alias.
const logSources = "log_sources"

func readAllowed(m *strictyaml.Mapping, sources sqlq.Tables) []string {
	var allowed []string
	if m.Has("allowed") {
		if word, _ := m.At("allowed").Scalar(); word == logSources {
			allowed = sources.Names()
			for _, source := range sources {
				if len(source.Aliases) > 0 {
					allowed = append(allowed, source.Aliases[0])
				}
			}
			return allowed
		}
	}
	for _, node := range m.List("allowed", emptyList) {
		text, ok := node.Scalar()
		switch {
		case !ok || text == "":
			node.Mistakef("an allowed value must be a single value that is not empty")
		case slices.Contains(allowed, text):
			node.Mistakef("%q is allowed twice", text)
		default:
			allowed = append(allowed, text)
		}
	}
	return allowed
}

// checkScope looks for a scope that does not suit the parameter, or that an earlier
// parameter of the saved query has.
func checkScope(m *strictyaml.Mapping, param *sqlq.Param, query *sqlq.SavedQuery) {
	if param.Scope == "" {
		return
	}
	if other := query.Scoped(param.Scope); other >= 0 {
		m.At("scope").Mistakef("scope %s is already used by parameter %q; use each scope once", param.Scope, query.Params[other].Name)
	}
	switch {
	case param.Type == "": // reported already
	case param.Scope == sqlq.ScopeProject && param.Type != sqlq.String && param.Type != sqlq.Int64 && param.Type != sqlq.ArrayOf(sqlq.String):
		m.At("scope").Mistakef("scope %s is for parameters of type %s, %s or %s", param.Scope, sqlq.String, sqlq.Int64, sqlq.ArrayOf(sqlq.String))
	case param.Scope == sqlq.ScopeProject && param.Type.IsArray() && param.Regex:
		m.At("scope").Mistakef("scope %s is not for an array of regular expressions; leave format out", param.Scope)
	case param.Scope == sqlq.ScopeTier && param.Type != sqlq.String:
		m.At("scope").Mistakef("scope %s is for parameters of type %s", param.Scope, sqlq.String)
	case param.Scope == sqlq.ScopeTier && len(param.Allowed) == 0:
		m.At("scope").Mistakef("scope %s needs allowed, which lists the tiers, lowest first", param.Scope)
	}
}
