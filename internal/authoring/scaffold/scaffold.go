// Package scaffold writes the query.yaml of a new saved query from its SQL, with marks where
// only a person knows what to write.
package scaffold

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// Query is what is known of a new saved query.
type Query struct {
	ID      uuid.UUID
	Name    string
	Aliases []string
	// Dialect is the dialect of SQL, and names its file.
	Dialect sqlq.Dialect
	// IsAmbiguous means that SQL is valid in GoogleSQL, too, and no dialect was chosen.
	IsAmbiguous bool
	SQL         string
	// Description is empty if only a person knows what to write.
	Description string
	MaxRows     int
	// Cache and Warm are zero if they are disabled.
	Cache, Warm time.Duration
	// Sandboxed means that callers can send SQL of their own.
	Sandboxed bool
	Params    []Param
	Columns   []sqlq.Column
	// Planned are the columns as the engine reports them.
	Planned []sqlq.PlannedColumn
	// Undecided are the columns whose types the SQL does not determine: they are JSON, or a guess.
	Undecided []sqlq.Column
	// SeriesColumn is the column with the start of the bucket, if the saved query is a series;
	// otherwise it is empty.
	SeriesColumn string
}

// Files returns the files of the folder.
func (q *Query) Files() map[string][]byte {
	return map[string][]byte{"query.yaml": q.YAML(), q.SQLFileName(): []byte(q.SQL)}
}

// SQLFileName returns the name of the file with the SQL.
func (q *Query) SQLFileName() string { return q.Dialect.Name() + ".sql" }

// Begin sets what a new saved query begins with: a name, an id, and the rows and the caching that most need. It
// becomes a series if the SQL has the shape of one.
func (q *Query) Begin(name string) (err error) {
	q.detectSeries()
	q.Name, q.MaxRows, q.Cache = name, 1000, time.Minute //nolint:mnd // Defaults that fit most queries.
	q.ID, err = uuid.NewRandom()
	return err
}

// detectSeries makes the saved query a series if the SQL uses both bounds of one, which are then no
// parameters, and there is a column for the start of the bucket.
func (q *Query) detectSeries() {
	isBound := func(param Param) bool { return param.Name == sqlq.FromParam || param.Name == sqlq.ToParam }
	others := slices.DeleteFunc(slices.Clone(q.Params), isBound)
	column := slices.IndexFunc(q.Columns, func(column sqlq.Column) bool {
		return slices.Contains([]sqlq.Type{sqlq.Timestamp, sqlq.Datetime, sqlq.Date}, column.Type)
	})
	if column < 0 || len(q.Params)-len(others) < 2 {
		return
	}
	q.Params, q.SeriesColumn = others, q.Columns[column].Name
	q.Columns[column].Description = "Start of the bucket, in UTC."
}

// describeColumns describes the columns that the SQL takes from a table without another name.
func (q *Query) describeColumns(tables sqlq.Tables) {
	descriptions := make(map[string]string)
	for _, table := range append(tables, &sqlq.Table{}) { // record tables have columns of every log source
		for _, column := range table.Columns() {
			if descriptions[column.Name] == "" {
				descriptions[column.Name] = column.Description
			}
		}
	}
	for i := range q.Columns {
		column := &q.Columns[i]
		if !regexp.MustCompile(`(?i)\bAS\s+["` + "`" + `]?` + column.Name + `\b`).MatchString(q.SQL) {
			column.Description = descriptions[column.Name]
		}
	}
}

// Param is a parameter that the SQL uses.
type Param struct {
	sqlq.PlannedParam
	// Optional reports whether the SQL tests whether the parameter is NULL.
	Optional bool
	// IsProject reports whether the SQL compares the parameter with the project of an event.
	IsProject bool
}

// comparedWithProject returns the names of the parameters that the SQL compares with a column of
// projects.
func comparedWithProject(dialect sqlq.Dialect, sql string, projects []string) map[string]bool {
	compared := make(map[string]bool)
	column := `\b(?:` + strings.Join(projects, "|") + `)`
	before, after := regexp.MustCompile(`(?i)`+column+`\s*(=|=\s*ANY\s*\(|IN\s*\(|IN\s+UNNEST\s*\()\s*$`), regexp.MustCompile(`(?i)^\s*[=,]\s*(\w+\.)?`+column+`\b`)
	for _, use := range sqltext.Params(dialect, sql) {
		if before.MatchString(sql[:use.Start]) || after.MatchString(sql[use.End:]) {
			compared[use.Name] = true
		}
	}
	return compared
}

// projectColumns returns the names of what says the project of an event in tables.
func projectColumns(tables sqlq.Tables) []string {
	names := []string{"project", "project_ref"}
	for _, table := range tables {
		if table.ProjectMember != "" {
			names = append(names, regexp.QuoteMeta(table.ProjectMember))
		}
		for _, field := range table.Fields {
			if slices.Equal(field.Path, []string{table.ProjectMember}) {
				names = append(names, field.Name)
			}
		}
	}
	return names
}

// Optional returns the names of the parameters that the SQL compares with NULL, which callers
// can leave out.
func Optional(dialect sqlq.Dialect, sql string) map[string]bool {
	found := make(map[string]bool)
	isNull, coalesce := regexp.MustCompile(`(?i)^\s+IS\s+(NOT\s+)?NULL\b`), regexp.MustCompile(`(?i)\b(coalesce|ifnull)\(\s*$`)
	for _, use := range sqltext.Params(dialect, sql) {
		if isNull.MatchString(sql[use.End:]) || coalesce.MatchString(sql[:use.Start]) {
			found[use.Name] = true
		}
	}
	return found
}

// declareColumns returns the declarations of the columns that the SQL gives. The error lists those
// whose names a saved query cannot have.
func declareColumns(file string, planned []sqlq.PlannedColumn, declare func(sqlq.PlannedColumn) sqlq.Column) ([]sqlq.Column, error) {
	var columns []sqlq.Column
	var mistakes sqlq.FileErrors
	seen := make(sqlq.ColumnSet)
	for i, column := range planned {
		if err := sqlq.CheckColumnName(column.Name); err != nil {
			mistakes = append(mistakes, &sqlq.FileError{File: file, Message: fmt.Sprintf("the name of column %d %s", i+1, err)})
		} else if other, taken := seen.Add(column.Name); taken {
			mistakes = append(mistakes, &sqlq.FileError{File: file, Message: fmt.Sprintf(
				"the columns %q and %q have the same name, because SQL ignores letter case; give one of them another with AS", other, column.Name)})
		}
		columns = append(columns, declare(column))
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	return columns, nil
}

// YAML returns the query.yaml.
func (q *Query) YAML() []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "id: %s\nname: %s\n", q.ID, q.Name)
	if len(q.Aliases) > 0 {
		fmt.Fprintf(&w, "aliases: [%s]\n", strings.Join(quotedAliases(q.Aliases), ", "))
	}
	fmt.Fprintf(&w, "description: %q\nmax_rows: %d\ncache: %s\n", cmp.Or(q.Description, "TODO: say what the rows are, and in which order."), q.MaxRows, seconds(q.Cache))
	if q.Warm > 0 {
		fmt.Fprintf(&w, "warm: %s\n", seconds(q.Warm))
	}
	if q.Sandboxed {
		w.WriteString("sandbox: enabled\n")
	}
	if len(q.Params) > 0 {
		w.WriteString("\nparams:\n")
	}
	for _, param := range q.Params {
		param.write(&w)
	}
	w.WriteString("\ncolumns:\n")
	writeColumns(&w, q.Columns, q.Planned, q.Undecided, "  ")
	if q.SeriesColumn != "" {
		fmt.Fprintf(&w, "\nseries:\n  column: %s\n  windows:\n    - {length: 1d, bucket: 1h} # TODO: set how far the series goes back, and how wide its buckets are\n", yamlText(q.SeriesColumn))
	}
	return w.Bytes()
}

// yamlText returns a text as YAML reads it: in quotes, unless it is plain.
func yamlText(name string) string {
	isWord := slices.Contains([]string{"true", "false", "null"}, name)
	if !isWord && regexp.MustCompile(`^[a-z_][a-z0-9_]*$`).MatchString(name) {
		return name
	}
	return string(sqlq.AppendValue(nil, sqlq.String, name))
}

func quotedAliases(aliases []string) []string {
	quoted := make([]string, len(aliases))
	for i, alias := range aliases {
		quoted[i] = alias
		if !regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`).MatchString(alias) {
			quoted[i] = yamlText(alias)
		}
	}
	return quoted
}

// seconds returns a duration as query.yaml has it.
func seconds(duration time.Duration) string {
	if duration == 0 {
		return "disabled"
	}
	return fmt.Sprintf("%ds", duration/time.Second)
}

func (p Param) write(w *bytes.Buffer) {
	fmt.Fprintf(w, "  - name: %s\n    type: %s", p.Name, p.Type)
	switch {
	case p.Guessed:
		w.WriteString(" # TODO: check the type, which is a guess")
	case p.MoreDigits != "":
		fmt.Fprintf(w, " # TODO: check this. %s does not hold all digits of %s; to keep them, use STRING and cast it in the SQL", p.Type, p.MoreDigits)
	}
	w.WriteString("\n")
	description := "TODO: say what callers choose with it."
	if strings.HasPrefix(p.Name, "project") && (p.Type.Element() == sqlq.String || p.Type == sqlq.Int64) {
		w.WriteString("    scope: project")
		if p.IsProject {
			description = "Only rows of this project."
		} else {
			w.WriteString(" # TODO: keep this if all rows belong to one project")
		}
		w.WriteString("\n")
	}
	switch {
	case p.Type.IsArray() || p.Optional:
	case p.IsProject:
		w.WriteString("    required: true\n")
	case p.Type == sqlq.Timestamp || p.Type == sqlq.Date:
		w.WriteString("    required: true # or a default, such as now-7d\n")
	default:
		w.WriteString("    required: true # or a default\n")
	}
	fmt.Fprintf(w, "    description: %q\n", description)
}

func writeColumns(w *bytes.Buffer, columns []sqlq.Column, planned []sqlq.PlannedColumn, undecided []sqlq.Column, indent string) {
	for i, column := range columns {
		inner := planned[i]
		for inner.Element != nil {
			inner = *inner.Element
		}
		mark, description := "", cmp.Or(column.Description, "TODO: say what the values are.")
		switch isUndecided := slices.ContainsFunc(undecided, func(other sqlq.Column) bool { return other.Name == column.Name }); {
		case isUndecided && column.Type == sqlq.JSON:
			mark = " # TODO: set STRING, INT64, FLOAT64 or NUMERIC for typed clients. JSON passes values on as they were sent"
		case isUndecided:
			mark = " # TODO: check the type, which is a guess"
		}
		fmt.Fprintf(w, "%[1]s- name: %[2]s\n%[1]s  type: %[3]s%[4]s\n%[1]s  description: %[5]q\n", indent, yamlText(column.Name), column.Type, mark, description)
		if len(column.Fields) > 0 {
			fmt.Fprintf(w, "%s  fields:\n", indent)
			writeColumns(w, column.Fields, inner.Fields, nil, indent+"    ")
		}
	}
}

// Template is SQL to begin with, and the types of its parameters.
type Template struct {
	SQL   string
	Types map[string]sqlq.Type
}

// TemplateFor returns SQL to begin with in a dialect.
func TemplateFor(dialect sqlq.Dialect) Template {
	project, since := dialect.ParamPrefix()+"project", dialect.ParamPrefix()+"since"
	switch {
	case dialect.RunsGoogleSQL(): // where a TIMESTAMP parameter is a string
		since = "TIMESTAMP(" + since + ")"
	case dialect.Name() == "clickhouse": // where a parameter says its type
		project, since = "{project:String}", "{since:DateTime64(6, 'UTC')}"
	}
	return Template{
		SQL: "SELECT\n  timestamp,\n  id,\n  event_message\nFROM edge_logs\nWHERE project = " + project + "\n" +
			"  AND timestamp > " + since + "\nORDER BY timestamp DESC\nLIMIT 100\n",
		Types: map[string]sqlq.Type{"project": sqlq.String, "since": sqlq.Timestamp},
	}
}
