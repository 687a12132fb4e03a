package logstore

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
)

// A part that cannot be opened stays in the manifest. The views have in its place rows that raise an error when they are
// read, so that queries over its events fail, and all others go on.

// noteDamage notes that a part cannot be read, or can be again.
func (s *Store) noteDamage(part *parts.Part, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if err == nil {
		delete(s.damaged, part.Number)
		return
	}
	if s.damaged == nil {
		s.damaged = make(map[uint64]string)
	}
	if _, known := s.damaged[part.Number]; !known {
		s.config.logger.Error("a part of the store cannot be read", slog.String("part", part.FileName()), slog.Any("error", err))
		s.recovery.Damaged = append(s.recovery.Damaged, DamagedPart{part.FileName(), reasonOf(err), part})
	}
	s.damaged[part.Number] = fmt.Sprintf("%s%s; restore the file from a backup and start the server again; queries of other times and sources work",
		duckdbsql.UnreadablePrefix, DamagedPart{part.FileName(), reasonOf(err), part})
}

// reasonOf returns why a file cannot be opened, without its path.
func reasonOf(err error) string {
	if strings.Contains(err.Error(), "database does not exist") || strings.Contains(err.Error(), "No such file") {
		return "it is missing"
	}
	return err.Error()
}

// isDamaged reports whether a part cannot be read.
func (s *Store) isDamaged(part *parts.Part) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.damaged[part.Number] != ""
}

// intact returns the parts that can be read.
func (s *Store) intact(all []parts.Part) []parts.Part {
	return slices.DeleteFunc(slices.Clone(all), func(part parts.Part) bool { return s.isDamaged(&part) })
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
		if part, has := manifest.Parts[i].Source(source); has && s.isDamaged(&manifest.Parts[i]) && (!found || part.Oldest.Before(oldest)) {
			oldest, found = part.Oldest, true
		}
	}
	return oldest, found
}
