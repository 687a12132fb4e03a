package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"savedq/internal/strictyaml"
	"savedq/sqlq"
)

const (
	// disabled is what cache, warm and sandbox say when they are off.
	disabled = "disabled"
	// emptyList is what is wrong with a list of nothing.
	emptyList = "must not be empty; leave it out instead"
	// defaultMaxRows is what the specification gives every endpoint (part 8).
	defaultMaxRows = 1000
	// highestMaxRows keeps a result within what a server can hold in memory.
	highestMaxRows = 100_000
	// defaultMaxLength and highestMaxLength are in characters (D9).
	defaultMaxLength = 256
	highestMaxLength = 65_536
	// mostFileBytes bounds a query.yaml: what nests deeply takes long to parse.
	mostFileBytes = 64 << 10
)

// readQueryFile reads a query.yaml. It returns what it could read even when
// there are mistakes, so that the caller can go on and look for more.
func readQueryFile(file string, data []byte) (*sqlq.SavedQuery, *queryPlaces, sqlq.FileErrors) {
	reader := &strictyaml.Reader{MostBytes: mostFileBytes, SecondDocument: "a file holds one saved query; remove the second document"}
	query, places := &sqlq.SavedQuery{MaxRows: defaultMaxRows}, &queryPlaces{file: file, params: make(map[string]sqlq.Place)}
	m := reader.Read(data, "id", "name", "description", "max_rows", "cache", "warm", "sandbox", "graphql", "params", "columns")
	if m != nil {
		readQuery(m, query, places)
	}
	return query, places, sqlq.FileErrorsIn(file, reader.Mistakes())
}

func readQuery(m *strictyaml.Mapping, query *sqlq.SavedQuery, places *queryPlaces) {
	m.Require("id", "name", "description", "columns")
	places.id, places.name = places.of(m.At("id")), places.of(m.At("name"))
	query.ID, query.Place = readID(m), places.name
	query.Name = readName(m, "name", `^[a-z0-9]+([._-][a-z0-9]+)*$`, "of lower-case letters and digits, joined by dots, dashes or underscores, such as usage.api-counts")
	if _, err := uuid.Parse(query.Name); err == nil {
		m.At("name").Mistakef("name must not be a UUID, since it could be mistaken for an id")
	}
	query.Description = m.Text("description")
	query.GraphQL = readQueryNames(m, places)
	query.MaxRows = m.Integer("max_rows", defaultMaxRows, 1, highestMaxRows)
	query.Cache, query.Warm = readDuration(m, "cache"), readDuration(m, "warm")
	if query.Warm > 0 && query.Warm >= query.Cache {
		m.At("warm").Mistakef("warm must be shorter than cache, because it refreshes cached entries")
	}
	if m.Has("sandbox") {
		m.OneOf("sandbox", disabled)
	}
	for _, node := range m.List("params", emptyList) {
		readParam(node, query, places)
	}
	readColumns(m, query, places)
}

// queryPlaces remembers where things stand in a query.yaml, for mistakes that
// only show beside other files.
type queryPlaces struct {
	file     string
	id, name sqlq.Place
	params   map[string]sqlq.Place
}

// of is the place of a node.
func (p *queryPlaces) of(node strictyaml.Node) sqlq.Place {
	return sqlq.Place{File: p.file, Line: node.Line(), Column: node.Column()}
}

func readID(m *strictyaml.Mapping) uuid.UUID {
	text := m.Text("id")
	if text == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(uuid.Nil.String()) || id == uuid.Nil {
		m.At("id").Mistakef("id %q is not a UUID such as %s", text, uuid.NewString())
	}
	return id
}

// readName reads a text that must match the pattern.
func readName(m *strictyaml.Mapping, key, pattern, meaning string) string {
	const mostBytes = 128
	name := m.Text(key)
	if name != "" && (len(name) > mostBytes || !regexp.MustCompile(pattern).MatchString(name)) {
		m.At(key).Mistakef("%s %q is not a name %s (at most %d)", key, name, meaning, mostBytes)
	}
	return name
}

const (
	paramPattern = `^[a-z_][a-z0-9_]*$`
	paramMeaning = "of lower-case letters, digits and underscores, which does not begin with a digit"
)

func readParam(node strictyaml.Node, query *sqlq.SavedQuery, places *queryPlaces) {
	m := node.Mapping("name", "type", "description", "required", "default", "allowed", "fallback", "pattern", "format", "max_length", "scope", "graphql")
	if m == nil {
		return
	}
	m.Require("name", "type", "description")
	param := sqlq.Param{
		Name:        readName(m, "name", paramPattern, paramMeaning),
		Type:        sqlq.Type(m.OneOf("type", string(sqlq.String), string(sqlq.Int64), string(sqlq.Float64), string(sqlq.Bool), string(sqlq.Timestamp))),
		Description: m.Text("description"),
		Required:    m.Boolean("required", false),
		Default:     m.Scalar("default"),
		Allowed:     readAllowed(m),
		Fallback:    m.Scalar("fallback"),
		Pattern:     m.Text("pattern"),
		Regex:       m.OneOf("format", "regex") != "",
		MaxLength:   m.Integer("max_length", defaultMaxLength, 1, highestMaxLength),
		Scope:       sqlq.Scope(m.OneOf("scope", string(sqlq.ScopeProject), string(sqlq.ScopeTier))),
	}
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
	param.GraphQL = readParamNames(m, places, param.Allowed)
	query.Params = append(query.Params, param)
}

// readDuration reads a time span such as 900s, or the word disabled, which is zero.
func readDuration(m *strictyaml.Mapping, key string) time.Duration {
	return strictyaml.Value(m, key, 0, func(node strictyaml.Node) (time.Duration, error) {
		text, _ := node.Scalar()
		if text == disabled {
			return 0, nil
		}
		value, err := time.ParseDuration(text)
		if err != nil || value < time.Second || value%time.Second != 0 {
			return 0, fmt.Errorf("%s must be %s or a duration of whole seconds, such as 900s or 15m", key, disabled)
		}
		return value, nil
	})
}

func readAllowed(m *strictyaml.Mapping) []string {
	var allowed []string
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

// checkParam looks for settings of a parameter that contradict each other.
func checkParam(m *strictyaml.Mapping, param *sqlq.Param) {
	for _, key := range []string{"format", "max_length"} {
		if m.Has(key) && param.Type != sqlq.String {
			m.At(key).Mistakef("%s is for parameters of type %s", key, sqlq.String)
		}
	}
	if param.Required && param.Default != nil {
		m.At("default").Mistakef("a required parameter cannot have a default")
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
	for key, text := range map[string]*string{"default": param.Default, "fallback": param.Fallback} {
		if text != nil {
			checkValue(m, param, key, *text)
		}
	}
	for _, text := range param.Allowed {
		checkValue(m, param, "allowed", text)
	}
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
	case param.Scope == sqlq.ScopeProject && param.Type != sqlq.String && param.Type != sqlq.Int64:
		m.At("scope").Mistakef("scope %s is for parameters of type %s or %s", param.Scope, sqlq.String, sqlq.Int64)
	case param.Scope == sqlq.ScopeTier && param.Type != sqlq.String:
		m.At("scope").Mistakef("scope %s is for parameters of type %s", param.Scope, sqlq.String)
	case param.Scope == sqlq.ScopeTier && len(param.Allowed) == 0:
		m.At("scope").Mistakef("scope %s needs allowed, which lists the tiers, lowest first", param.Scope)
	}
}

// checkValue holds a value that the file itself gives against the parameter.
func checkValue(m *strictyaml.Mapping, param *sqlq.Param, key, text string) {
	if len(param.Allowed) > 0 && !slices.Contains(param.Allowed, text) {
		m.At(key).Mistakef("%s %q is not among the allowed values", key, text)
		return
	}
	if param.Type == "" {
		return // reported already
	}
	if text == "" {
		m.At(key).Mistakef("%s must not be empty; leave it out to get NULL", key)
		return
	}
	if _, err := param.Parse(text); err != nil {
		m.At(key).Mistakef("%s: %s", key, err)
	}
}

func readColumns(m *strictyaml.Mapping, query *sqlq.SavedQuery, places *queryPlaces) {
	seen := make(map[string]bool)
	for _, node := range m.List("columns", emptyList) {
		c := node.Mapping("name", "type", "nullable", "description", "graphql")
		if c == nil {
			continue
		}
		c.Require("name", "type", "description")
		column := sqlq.Column{
			Name: readName(c, "name", paramPattern, paramMeaning),
			Type: sqlq.Type(c.OneOf("type", string(sqlq.String), string(sqlq.Int64), string(sqlq.Float64), string(sqlq.Bool),
				string(sqlq.Timestamp), string(sqlq.Datetime), string(sqlq.Date), string(sqlq.JSON))),
			Nullable:    c.Boolean("nullable", true),
			Description: c.Text("description"),
			Place:       places.of(c.Start),
		}
		column.GraphQL = readColumnNames(c, places, column.Type)
		if column.Name != "" && seen[column.Name] {
			c.At("name").Mistakef("column %q is declared twice", column.Name)
		}
		seen[column.Name] = true
		query.Columns = append(query.Columns, column)
	}
}
