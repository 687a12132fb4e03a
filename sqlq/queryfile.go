package sqlq

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/uuid"
)

const (
	// disabled is what cache, warm and sandbox say when they are off.
	disabled = "disabled"
	// defaultMaxRows is what the specification gives every endpoint (part 8).
	defaultMaxRows = 1000
	// highestMaxRows keeps one answer within what a server can hold in memory.
	highestMaxRows = 100_000
	// defaultMaxLength and highestMaxLength are in characters (D9).
	defaultMaxLength = 256
	highestMaxLength = 65_536
	// mostFileBytes bounds a query.yaml: what nests deeply takes long to parse.
	mostFileBytes = 64 << 10
)

// readQueryFile reads a query.yaml. It returns what it could read even when
// there are mistakes, so that the caller can go on and look for more.
func readQueryFile(file string, data []byte) (*SavedQuery, *queryNodes, FileErrors) {
	reader := &yamlReader{file: file}
	query, nodes := &SavedQuery{MaxRows: defaultMaxRows}, &queryNodes{params: make(map[string]ast.Node)}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case len(data) > mostFileBytes:
		return query, nodes, FileErrors{{File: file, Message: fmt.Sprintf("is larger than %d bytes", mostFileBytes)}}
	case !utf8.Valid(data) || bytes.ContainsRune(data, 0):
		return query, nodes, FileErrors{{File: file, Message: "is no UTF-8 text"}}
	}
	m := reader.parse(data, "id", "name", "description", "max_rows", "cache", "warm", "sandbox", "params", "columns")
	if m == nil {
		return query, nodes, reader.mistakes
	}
	m.require("id", "name", "description", "columns")
	nodes.id, nodes.name = m.at("id"), m.at("name")
	query.ID = readID(m)
	query.Name = readName(m, "name", `[a-z0-9]+([._-][a-z0-9]+)*`, "of lower-case letters and digits, joined by dots, dashes or underscores, such as usage.api-counts")
	if _, err := uuid.Parse(query.Name); err == nil {
		reader.mistake(m.at("name"), "name must not be a UUID, since it could be mistaken for an id")
	}
	query.Description = m.text("description")
	query.MaxRows = m.integer("max_rows", defaultMaxRows, 1, highestMaxRows)
	query.Cache, query.Warm = m.duration("cache"), m.duration("warm")
	if query.Warm > 0 && query.Warm >= query.Cache {
		reader.mistake(m.at("warm"), "warm must be shorter than cache, since it renews what is cached")
	}
	if m.has("sandbox") {
		m.oneOf("sandbox", disabled)
	}
	for _, node := range m.items("params") {
		readParam(reader, node, query, nodes)
	}
	readColumns(m, query)
	return query, nodes, reader.mistakes
}

// queryNodes remembers where things stand in a query.yaml, for mistakes that
// only show beside other files.
type queryNodes struct {
	id, name ast.Node
	params   map[string]ast.Node
}

func readID(m *yamlMapping) uuid.UUID {
	text := m.text("id")
	if text == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(uuid.Nil.String()) || id == uuid.Nil {
		m.reader.mistake(m.at("id"), "id %q is not a UUID such as %s", text, uuid.NewString())
	}
	return id
}

// readName reads a text that must match the pattern as a whole.
func readName(m *yamlMapping, key, pattern, meaning string) string {
	const mostBytes = 128
	name, allowed := m.text(key), Param{Pattern: pattern}
	if name != "" && (len(name) > mostBytes || !allowed.matches(name)) {
		m.reader.mistake(m.at(key), "%s %q is not a name %s (at most %d)", key, name, meaning, mostBytes)
	}
	return name
}

const (
	paramPattern = `[a-z_][a-z0-9_]*`
	paramMeaning = "of lower-case letters, digits and underscores"
)

func readParam(reader *yamlReader, node ast.Node, query *SavedQuery, nodes *queryNodes) {
	m := reader.mapping(node, "name", "type", "description", "required", "default", "allowed", "fallback", "pattern", "format", "max_length")
	if m == nil {
		return
	}
	m.require("name", "type", "description")
	param := Param{
		Name:        readName(m, "name", paramPattern, paramMeaning),
		Type:        Type(m.oneOf("type", string(String), string(Int64), string(Float64), string(Bool), string(Timestamp))),
		Description: m.text("description"),
		Required:    m.boolean("required", false),
		Default:     m.scalar("default"),
		Allowed:     readAllowed(m),
		Fallback:    m.scalar("fallback"),
		Pattern:     m.text("pattern"),
		Regex:       m.oneOf("format", "regex") != "",
		MaxLength:   m.integer("max_length", defaultMaxLength, 1, highestMaxLength),
	}
	if param.Name == NowParam {
		reader.mistake(m.at("name"), "parameter %q is given to every query and must not be declared", NowParam)
	}
	switch {
	case param.Name == "": // reported already
	case nodes.params[param.Name] != nil:
		reader.mistake(m.at("name"), "parameter %q is declared twice", param.Name)
	default:
		nodes.params[param.Name] = m.at("name")
	}
	checkParam(m, &param)
	query.Params = append(query.Params, param)
}

func readAllowed(m *yamlMapping) []string {
	var allowed []string
	for _, node := range m.items("allowed") {
		text, ok := scalarText(node)
		switch {
		case !ok || text == "":
			m.reader.mistake(node, "an allowed value must be a single value that is not empty")
		case slices.Contains(allowed, text):
			m.reader.mistake(node, "%q is allowed twice", text)
		default:
			allowed = append(allowed, text)
		}
	}
	return allowed
}

// checkParam looks for settings of a parameter that contradict each other.
func checkParam(m *yamlMapping, param *Param) {
	for _, key := range []string{"format", "max_length"} {
		if m.has(key) && param.Type != String {
			m.reader.mistake(m.at(key), "%s is for parameters of type %s", key, String)
		}
	}
	if param.Required && param.Default != nil {
		m.reader.mistake(m.at("default"), "a required parameter has no use for a default")
	}
	if param.Fallback != nil && len(param.Allowed) == 0 {
		m.reader.mistake(m.at("fallback"), "fallback is for values that allowed does not list, and nothing is listed")
	}
	if param.Pattern != "" {
		pattern, err := compilePattern(param.Pattern)
		if err != nil {
			m.reader.mistake(m.at("pattern"), "pattern does not compile: %s", err)
			param.Pattern = "" // so that values are held against the rest
		}
		param.pattern = pattern
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

// checkValue holds a value that the file itself gives against the parameter.
func checkValue(m *yamlMapping, param *Param, key, text string) {
	if len(param.Allowed) > 0 && !slices.Contains(param.Allowed, text) {
		m.reader.mistake(m.at(key), "%s %q is not among the allowed values", key, text)
		return
	}
	if param.Type == "" {
		return // reported already
	}
	if text == "" {
		m.reader.mistake(m.at(key), "%s must not be empty; leave it out to get NULL", key)
		return
	}
	if _, err := param.parse(text); err != nil {
		m.reader.mistake(m.at(key), "%s: %s", key, err)
	}
}

func readColumns(m *yamlMapping, query *SavedQuery) {
	seen := make(map[string]bool)
	for _, node := range m.items("columns") {
		c := m.reader.mapping(node, "name", "type", "nullable", "description")
		if c == nil {
			continue
		}
		c.require("name", "type", "description")
		column := Column{
			Name: readName(c, "name", paramPattern, paramMeaning),
			Type: Type(c.oneOf("type", string(String), string(Int64), string(Float64), string(Bool),
				string(Timestamp), string(Datetime), string(Date), string(JSON))),
			Nullable:    c.boolean("nullable", true),
			Description: c.text("description"),
		}
		position := c.node.GetToken().Position
		column.Place = Place{File: m.reader.file, Line: position.Line, Column: position.Column}
		if column.Name != "" && seen[column.Name] {
			m.reader.mistake(c.at("name"), "column %q is declared twice", column.Name)
		}
		seen[column.Name] = true
		query.Columns = append(query.Columns, column)
	}
}
