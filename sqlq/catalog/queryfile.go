package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/google/uuid"

	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

const (
	// disabled is the value of cache, warm, sandbox and tool that disables them.
	disabled = "disabled"
	// enabled is the value of sandbox that lets callers send SQL (D40), and that of tool if it is absent.
	enabled = "enabled"
	// overLogs is the value of sandbox that lets callers send ClickHouse's SQL over the table logs (D52).
	overLogs = "logs"
	// emptyList is the message about an empty list.
	emptyList = "must not be empty; leave it out instead"
	// defaultMaxRows is what the specification gives every endpoint (part 8).
	defaultMaxRows = 1000
	// HighestMaxRows limits the memory of a result.
	HighestMaxRows = 100_000
	// HighestStreamRows limits the size of a stream.
	HighestStreamRows = 10_000_000
	// defaultMaxLength and highestMaxLength are in characters (D9).
	defaultMaxLength = 256
	highestMaxLength = 65_536
	// mostFileBytes limits a query.yaml, because deep nesting takes long to parse.
	mostFileBytes = 64 << 10
)

// readQueryFile reads a query.yaml. It returns what it could read even when
// there are mistakes, so that the caller can go on and look for more. sources are the log sources that
// the SQL reads.
func readQueryFile(file string, data []byte, sources sqlq.Tables, extend Extend) (*sqlq.SavedQuery, *queryPlaces, sqlq.FileErrors) {
	reader := &strictyaml.Reader{MostBytes: mostFileBytes, SecondDocument: "a file holds one saved query; remove the second document"}
	query, places := &sqlq.SavedQuery{MaxRows: defaultMaxRows}, &queryPlaces{file: file, sources: sources, extend: extend, params: make(map[string]sqlq.Place)}
	m := reader.Read(data, "id", "name", "aliases", "description", "deprecated", "max_rows", "stream", "cache", "warm", "sandbox", "tool", extensionKey, "params", "columns", "series", "pages", "alerts")
	if m != nil {
		readQuery(m, query, places)
	}
	query.Marks = findMarks(file, string(data))
	return query, places, sqlq.FileErrorsIn(file, reader.Mistakes())
}

func readQuery(m *strictyaml.Mapping, query *sqlq.SavedQuery, places *queryPlaces) {
	m.Require("id", "name", "description", "columns")
	places.id, places.name = places.of(m.At("id")), places.of(m.At("name"))
	query.ID, query.Place = readID(m), places.name
	if query.Name = m.Text("name"); query.Name != "" {
		if err := CheckName(query.Name); err != nil {
			m.At("name").Mistakef("name %s", err)
		}
	}
	readAliases(m, query, places)
	query.Description = ReadDescription(m)
	query.Deprecated = m.Text("deprecated")
	query.Extension = places.extend(query, m, places.file)
	query.Stream = m.Boolean("stream", false)
	query.MaxRows = readMaxRows(m, query.Stream)
	query.Cache, query.Warm = readDuration(m, "cache"), readDuration(m, "warm")
	if query.Warm > 0 && query.Warm >= query.Cache {
		m.At("warm").Mistakef("warm must be shorter than cache, because it refreshes cached entries")
	}
	if m.Has("sandbox") {
		kind := m.OneOf("sandbox", disabled, enabled, overLogs)
		query.Sandboxed, query.CallersReadLogs = kind == enabled || kind == overLogs, kind == overLogs
		places.sandbox = places.of(m.At("sandbox"))
	}
	if m.OneOf("tool", enabled, disabled) != disabled && !query.Stream {
		query.Tool = toolName(query)
	}
	rejectWithStream(m, query)
	for _, node := range m.List("params", emptyList) {
		readParam(node, query, places)
	}
	query.Columns = readColumns(m, "columns", "column", 1, places)
	readSeries(m, query, places)
	readPages(m, query, places)
	readAlerts(m, query, places)
}

// readMaxRows reads max_rows.
func readMaxRows(m *strictyaml.Mapping, stream bool) int {
	if stream {
		return m.Integer("max_rows", defaultMaxRows, 1, HighestStreamRows)
	}
	if rows := m.At("max_rows").WholeNumber(); rows > HighestMaxRows && rows <= HighestStreamRows {
		m.At("max_rows").Mistakef("max_rows must be at most %d, or %d with \"stream: true\"", HighestMaxRows, HighestStreamRows)
		return defaultMaxRows
	}
	return m.Integer("max_rows", defaultMaxRows, 1, HighestMaxRows)
}

// rejectWithStream reports what a stream cannot have, because its rows are not kept.
func rejectWithStream(m *strictyaml.Mapping, query *sqlq.SavedQuery) {
	if !query.Stream {
		return
	}
	for key, has := range map[string]bool{"cache": query.Cache > 0, "warm": query.Warm > 0, "sandbox": query.Sandboxed, "series": m.Has("series"), "pages": m.Has("pages"), "alerts": m.Has("alerts")} {
		if has {
			m.At(key).Mistakef("%s cannot be combined with \"stream: true\", because the rows of a stream are not kept", key)
		}
	}
}

// CheckName returns an error if a saved query cannot have the name.
func CheckName(name string) error {
	if _, err := uuid.Parse(name); err == nil {
		return errors.New("must not be a UUID, since it could be mistaken for an id")
	}
	return checkName(name, `^[a-z0-9]+([._-][a-z0-9]+)*$`, "of lower-case letters and digits, joined by dots, dashes or underscores, such as usage.api-counts")
}

// checkName returns an error if a name does not match the pattern.
func checkName(name, pattern, meaning string) error {
	if len(name) > mostNameBytes || !regexp.MustCompile(pattern).MatchString(name) {
		return fmt.Errorf("%q is not a name %s (at most %d)", name, meaning, mostNameBytes)
	}
	return nil
}

// queryPlaces holds places in a query.yaml, for mistakes that only a comparison with other
// files shows.
type queryPlaces struct {
	file string
	// sources are the log sources that the SQL reads.
	sources  sqlq.Tables
	extend   Extend
	id, name sqlq.Place
	aliases  []sqlq.Place
	params   map[string]sqlq.Place
	series   sqlq.Place
	sandbox  sqlq.Place
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

// ReadName reads a text that must match the pattern.
func ReadName(m *strictyaml.Mapping, key, pattern, meaning string) string {
	name := m.Text(key)
	if name != "" {
		if err := checkName(name, pattern, meaning); err != nil {
			m.At(key).Mistakef("%s %s", key, err)
		}
	}
	return name
}

// readDuration reads a duration of whole seconds, or the word disabled, which is zero.
func readDuration(m *strictyaml.Mapping, key string) time.Duration {
	if m.Has(key) {
		if text, _ := m.At(key).Scalar(); text == disabled {
			return 0
		}
	}
	return readSeconds(m, key, disabled+" or a duration of whole seconds, such as 900s or 15m")
}

// readSeconds reads a duration of whole seconds. The text says what it must be.
func readSeconds(m *strictyaml.Mapping, key, must string) time.Duration {
	return strictyaml.Value(m, key, 0, func(node strictyaml.Node) (time.Duration, error) {
		text, _ := node.Scalar()
		value, err := sqlq.ParseDuration(text)
		if err != nil || value < time.Second || value%time.Second != 0 {
			return 0, fmt.Errorf("%s must be %s", key, must)
		}
		return value, nil
	})
}
