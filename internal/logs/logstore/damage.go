package logstore

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
)

// A part that cannot be opened stays in the manifest. The views have in its place rows that raise an error when they are
// read, so that queries over its events fail, and all others go on.

// reportDamage logs that a part cannot be read.
func (s *Store) reportDamage(part DamagedPart, err error) {
	s.config.logger.Error("a part of the store cannot be read", slog.String("part", part.Name), slog.Any("error", err))
}

// reasonOf returns why a file cannot be opened, without its path.
func reasonOf(err error) string {
	if strings.Contains(err.Error(), "database does not exist") || strings.Contains(err.Error(), "No such file") {
		return "it is missing"
	}
	return err.Error()
}

// table returns how SQL names a table of the branch, in a FROM clause.
func (b *branch) table(sources sqlq.Tables, name string) string {
	if b.damaged == "" {
		return b.place + "." + name
	}
	columns := storedColumns(sources, b.fields)
	if name == recordsTable {
		columns = eventrow.RecordColumns()
	}
	selects := make([]string, 0, len(b.part.Sources))
	for _, source := range b.part.Sources {
		selects = append(selects, b.failing(&source, columns))
	}
	return "(" + strings.Join(selects, " UNION ALL ") + ")"
}

// failing returns a SELECT of one row that cannot be read. DuckDB leaves it out of queries for other sources and times, as
// far as they select these by constants or parameters: it knows the source, and between which limits the timestamp is. It
// knows nothing about the other columns, and does not compute errors when it plans a query.
func (b *branch) failing(source *parts.Source, columns []eventrow.Column) string {
	failure := "error(" + quoted(b.damaged) + ")"
	oldest := source.Oldest
	for _, hidden := range b.hidden {
		if hidden.Source == source.Name && hidden.Project == "" && hidden.Before.After(oldest) {
			oldest = hidden.Before
		}
	}
	values := make([]string, len(columns))
	for i, column := range columns {
		value := "CAST(" + failure + " AS " + column.Type + ")"
		switch column.Name {
		case "source":
			value = quoted(source.Name)
		case "timestamp":
			value = fmt.Sprintf("CASE WHEN %s IS NULL THEN make_timestamp(%d) ELSE make_timestamp(%d) END", failure, oldest.UnixMicro(), source.Newest.UnixMicro())
		}
		values[i] = value + " AS " + duckdbsql.QuoteName(column.Name)
	}
	return "SELECT " + strings.Join(values, ", ") + " WHERE " + failure + " IS NULL"
}

// selectsAll reports whether a selection has all events of its source in a part, as far as the manifest tells.
func selectsAll(selection parts.Selection, part *parts.Part) (events int64, all bool) {
	source, found := part.Source(selection.Source)
	return source.Events, found && selection.Project == "" && (selection.Before.IsZero() || source.Newest.Before(selection.Before))
}

// readable returns the columns of a source's events that can be read, as a FROM clause. The branches are those of
// [Store.reading], because a part can be in the manifest before it is attached.
func readable(branches []branch, source, columns string) string {
	var selects []string
	for _, branch := range branches {
		if branch.damaged == "" && branch.has(source) {
			selects = append(selects, "SELECT "+columns+" FROM "+branch.place+"."+eventsTable+branch.condition(source))
		}
	}
	return "(" + unionAll(selects) + ")"
}

// oldestDamaged returns the time of the oldest event of a source in parts that cannot be read.
func (s *Store) oldestDamaged(source string) (oldest time.Time, found bool) {
	manifest := s.current()
	for i := range manifest.Parts {
		if part, has := manifest.Parts[i].Source(source); has && s.attached.isDamaged(&manifest.Parts[i]) && (!found || part.Oldest.Before(oldest)) {
			oldest, found = part.Oldest, true
		}
	}
	return oldest, found
}
