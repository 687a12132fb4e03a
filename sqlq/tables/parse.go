package tables

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

const (
	// mostFileBytes limits a table.yaml, because deep nesting takes long to parse.
	mostFileBytes = 64 << 10
	mostNameBytes = 63
	// mostFields limits the fields of a log source.
	mostFields = 100
	// shortestRetention is the shortest time for which events can be kept.
	shortestRetention = time.Minute
	// forever is the retention of events that are never deleted.
	forever = "forever"
	// inMetadata begins the path of a value in metadata.
	inMetadata = "metadata"

	namePattern  = `^[a-z][a-z0-9_]*$`
	aliasPattern = `^[A-Za-z0-9][A-Za-z0-9._-]*$`
)

// file is a table.yaml that is being read.
type file struct {
	path   string
	table  *sqlq.Table
	places []sqlq.Place
}

// parse reads a table.yaml. It returns the places of the table's names, and the mistakes.
func parse(path string, data []byte) (*sqlq.Table, []sqlq.Place, sqlq.FileErrors) {
	yaml := &strictyaml.Reader{MostBytes: mostFileBytes, SecondDocument: "a file holds one table; remove the second document"}
	f := &file{path: path, table: &sqlq.Table{}}
	if m := yaml.Read(data, "name", "description", "aliases", "project", "retention", "fields", "metadata", "files", "columns", "separator", "bigquery", "clickhouse"); m != nil {
		f.read(m)
	}
	return f.table, f.places, sqlq.FileErrorsIn(path, yaml.Mistakes())
}

func (f *file) at(node strictyaml.Node) sqlq.Place {
	return sqlq.Place{File: f.path, Line: node.Line(), Column: node.Column()}
}

func (f *file) read(m *strictyaml.Mapping) {
	m.Require("name", "description")
	f.table.Place = f.at(m.At("name"))
	f.places = append(f.places, f.table.Place)
	f.table.Name = name(m, "name")
	f.table.Description = m.Text("description")
	f.table.Warehouse = text(m, "bigquery", `^[A-Za-z0-9_:.-]+(\.[A-Za-z0-9_-]+){1,2}$`, "must name a table, such as my-project.my_dataset.orders")
	if m.Has("files") {
		f.readTableOfFiles(m)
	} else {
		f.readSource(m)
	}
	f.readClickHouse(m)
}

// readTableOfFiles reads what is declared about a table of files.
func (f *file) readTableOfFiles(m *strictyaml.Mapping) {
	for _, key := range []string{"aliases", "project", "retention", "fields", "metadata"} {
		if m.Has(key) {
			m.At(key).Mistakef("%s is for log sources, and this table has files", key)
		}
	}
	f.readFiles(m)
}

func (f *file) readSource(m *strictyaml.Mapping) {
	if m.Has("columns") {
		m.At("columns").Mistakef("columns is for tables with files; a log source has id, timestamp, event_message, project, metadata and its fields")
	}
	if m.Has("separator") {
		m.At("separator").Mistakef("separator is for tables with CSV files")
	}
	for _, node := range m.List("aliases", "must not be empty; leave it out instead") {
		alias, _ := node.Scalar()
		if len(alias) > mostNameBytes || !regexp.MustCompile(aliasPattern).MatchString(alias) {
			node.Mistakef("alias %q is not a name of letters, digits, dots, dashes and underscores (at most %d)", alias, mostNameBytes)
			continue
		}
		if f.table.HasName(alias) {
			node.Mistakef("alias %q is declared twice", alias)
			continue
		}
		f.table.Aliases, f.places = append(f.table.Aliases, alias), append(f.places, f.at(node))
	}
	if project := m.Text("project"); project != "" && project != "project" {
		member, found := strings.CutPrefix(project, inMetadata+".")
		if !found || !isMember(member) {
			m.At("project").Mistakef("project must be project, for the field of an event, or a member of its metadata, such as metadata.shop")
		}
		f.table.ProjectMember = member
	}
	f.table.Retention = strictyaml.Value(m, "retention", 0, readRetention)
	f.table.Members = readMembers(m)
	nodes := m.List("fields", "must not be empty; leave it out instead")
	if len(nodes) > mostFields {
		m.At("fields").Mistakef("a log source has at most %d fields", mostFields)
		return
	}
	for _, node := range nodes {
		f.readField(node)
	}
}

// readRetention reads how long events are kept.
func readRetention(node strictyaml.Node) (time.Duration, error) {
	text, _ := node.Scalar()
	if text == forever {
		return sqlq.KeptForEver, nil
	}
	kept, err := sqlq.ParseDuration(text)
	if err != nil || kept < shortestRetention {
		return 0, fmt.Errorf("retention must be a duration of at least %s, such as 90d or 36h, or the word %s", shortestRetention, forever)
	}
	return kept, nil
}

// readField reads a typed field.
func (f *file) readField(node strictyaml.Node) {
	m := node.Mapping("name", "type", "path", "description")
	if m == nil {
		return
	}
	m.Require("name", "type", "path")
	field := sqlq.Field{Name: name(m, "name"), Type: sqlq.ParseType(m.Text("type")), Description: m.Text("description"), Place: f.at(m.Start)}
	isTaken := func(column sqlq.TableColumn) bool { return column.Name == field.Name || field.Name == "rowid" }
	if field.Name != "" && slices.ContainsFunc(f.table.Columns(), isTaken) {
		m.At("name").Mistakef("the table has a column %s already", field.Name)
	}
	if field.Type != "" && !slices.Contains(sqlq.FieldTypes(), field.Type) {
		m.At("type").Mistakef("type %q is not one of a field; use one of %s", field.Type, sqlq.Join(sqlq.FieldTypes()))
	}
	if written := m.Text("path"); written != "" {
		field.Path = strings.Split(written, ".")
		if field.Path[0] != inMetadata || len(field.Path) == 1 || slices.ContainsFunc(field.Path[1:], func(member string) bool { return !isMember(member) }) {
			m.At("path").Mistakef("path must lead to a value in metadata, such as metadata.amount or metadata.customer.country")
		}
		field.Path = field.Path[1:]
	}
	f.table.Fields = append(f.table.Fields, field)
}

// readMembers reads the members that senders usually set, a list for each object.
func readMembers(m *strictyaml.Mapping) sqlq.Members {
	if !m.Has("metadata") {
		return nil
	}
	entries, isMapping := m.At("metadata").Entries()
	if !isMapping {
		m.At("metadata").Mistakef("metadata must be a mapping of objects to lists of their members, such as metadata.request: [method, path]")
	}
	members := make(sqlq.Members)
	for _, entry := range entries {
		inner, object := members, strings.Split(entry.Name, ".")
		if object[0] != inMetadata || slices.ContainsFunc(object, func(member string) bool { return !isMember(member) }) {
			entry.Key.Mistakef("%q is not an object in metadata; write metadata, or for example metadata.request", entry.Name)
			continue
		}
		for _, member := range object[1:] {
			inner = inner.Add(member)
		}
		names, isList := entry.Value.Items()
		if !isList {
			entry.Value.Mistakef("must be a list of members, such as [method, path]")
		}
		for _, node := range names {
			if member, _ := node.Scalar(); isMember(member) {
				inner.Add(member)
				continue
			}
			node.Mistakef("must be the name of a member")
		}
	}
	return members
}

// isMember reports whether a part of a path names a member.
func isMember(name string) bool {
	return name != "" && len(name) <= 128 && !strings.ContainsAny(name, ".[]*\"'\\\x00\n")
}

// readFiles reads what is declared about files.
func (f *file) readFiles(m *strictyaml.Mapping) {
	files := &sqlq.Files{Place: f.at(m.At("files"))}
	f.table.Files = files
	pattern := m.Text("files")
	format, separator, err := FormatOf(pattern)
	switch {
	case pattern == "":
	case strings.Contains(pattern, "://"):
		m.At("files").Mistakef("files must be on this machine")
	case err != nil:
		m.At("files").Mistakef("%s", err)
	default:
		if _, err := path.Match(strings.ReplaceAll(pattern, "**", "*"), ""); err != nil {
			m.At("files").Mistakef("the pattern %q is not valid: a [ has no ]", pattern)
		}
	}
	files.Format, files.Pattern = format, pattern
	if !filepath.IsAbs(pattern) {
		files.Pattern = filepath.Join(filepath.Dir(f.path), pattern)
	}
	if absolute, err := filepath.Abs(files.Pattern); err == nil {
		files.Pattern = absolute
	}
	if !m.Has("columns") && format != "" && format != Parquet {
		m.At("files").Mistakef("columns is missing: %s files do not say the types of their columns", format)
	}
	if format == CSV {
		files.Separator = strictyaml.Value(m, "separator", separator, readSeparator)
	} else if m.Has("separator") {
		m.At("separator").Mistakef("separator is for CSV files")
	}
	for _, node := range m.List("columns", "must not be empty; leave it out instead") {
		f.readColumn(node, files)
	}
}

// readSeparator reads what stands between the values of a CSV file.
func readSeparator(node strictyaml.Node) (string, error) {
	text, _ := node.Scalar()
	if !slices.Contains([]string{",", ";", "|", "\t"}, text) {
		return "", errors.New(`separator must be one of ",", ";", "|" and "\t"`)
	}
	return text, nil
}

// Formats of files.
const (
	Parquet = "parquet"
	CSV     = "csv"
	NDJSON  = "ndjson"
	JSON    = "json"
)

// FormatOf returns the format that the name of a file says, and what separates the values of a CSV file whose name says that, too.
func FormatOf(pattern string) (format, separator string, err error) {
	name := strings.ToLower(path.Base(pattern))
	plain := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	switch ending := strings.TrimPrefix(path.Ext(plain), "."); {
	case ending == Parquet && plain == name, ending == CSV, ending == NDJSON, ending == JSON:
		return ending, "", nil
	case ending == "tsv":
		return CSV, "\t", nil
	}
	return "", "", errors.New("the files must be .parquet, or .csv, .tsv, .ndjson or .json, each of these also .gz or .zst")
}

// readColumn reads a declared column of files.
func (f *file) readColumn(node strictyaml.Node, files *sqlq.Files) {
	m := node.Mapping("name", "type", "description")
	if m == nil {
		return
	}
	m.Require("name", "type")
	column := sqlq.Column{Name: m.Text("name"), Type: sqlq.ParseType(m.Text("type")), Nullable: true, Description: m.Text("description"), Place: f.at(m.Start)}
	if slices.ContainsFunc(files.Columns, func(other sqlq.Column) bool { return strings.EqualFold(other.Name, column.Name) }) {
		m.At("name").Mistakef("column %q is declared twice", column.Name)
	}
	allowed := slices.DeleteFunc(sqlq.ColumnTypes(), func(typ sqlq.Type) bool { return typ == sqlq.Struct })
	if column.Type != "" && !slices.Contains(allowed, column.Type.Innermost()) {
		m.At("type").Mistakef("type %q is unknown; use one of %s, or an ARRAY of one, such as ARRAY<STRING>", column.Type, sqlq.Join(allowed))
	}
	if column.Type.IsArray() {
		column.Nullable = false
	}
	files.Columns = append(files.Columns, column)
}

// name reads the name of a table or a field.
func name(m *strictyaml.Mapping, key string) string {
	name := m.Text(key)
	if err := CheckName(name); name != "" && err != nil {
		m.At(key).Mistakef("%s %s", key, err)
	}
	return name
}

// CheckName returns an error if neither a table nor a field can have a name. The message continues one that names the kind of name.
func CheckName(name string) error {
	switch {
	case !regexp.MustCompile(namePattern).MatchString(name):
		return fmt.Errorf("%q must consist of lower-case letters, digits and underscores, and begin with a letter", name)
	case len(name) > mostNameBytes:
		return fmt.Errorf("has more than %d characters", mostNameBytes)
	case IsReserved(name):
		return fmt.Errorf("%q is a word of SQL or a table of the store's own; choose another name, such as %[1]s_1", name)
	}
	return nil
}

// text reads a text that must match a pattern.
func text(m *strictyaml.Mapping, key, pattern, meaning string) string {
	text := m.Text(key)
	if text != "" && !regexp.MustCompile(pattern).MatchString(text) {
		m.At(key).Mistakef("%s %q %s", key, text, meaning)
	}
	return text
}
