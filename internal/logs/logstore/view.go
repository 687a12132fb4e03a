package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
)

// branch is what the views read: a part, or a schema in memory.
type branch struct {
	// place is how SQL names the catalog of the part, or the schema.
	place string
	// part is nil for a schema in memory.
	part   *parts.Part
	fields []string
	hidden []parts.Selection
	// damaged is why a part cannot be read, or "".
	damaged string
}

// has reports whether the branch can have events of a source.
func (b *branch) has(source string) bool {
	if b.part == nil {
		return true
	}
	_, found := b.part.Source(source)
	return found
}

// hasRecords reports whether the branch can have records in a table of their own.
func (b *branch) hasRecords() bool { return b.part == nil || b.part.Records > 0 }

// hasShared reports whether the branch can have events of several projects.
func (b *branch) hasShared() bool { return b.part == nil || b.part.Shared > 0 }

// isTyped reports whether the branch says which of its events are typed.
func (b *branch) isTyped() bool { return b.part == nil || b.part.Typed }

// hasTyped reports whether the branch can have typed events of a source, and hasUntyped whether it can have others.
func (b *branch) hasTyped(source string) bool { return b.has(source) && b.isTyped() }

func (b *branch) hasUntyped(source string) bool {
	if b.part == nil || !b.part.Typed {
		return b.has(source)
	}
	of, _ := b.part.Source(source)
	return of.Untyped > 0
}

// condition returns the SQL condition for the visible events of a source, or of all.
func (b *branch) condition(source string) string {
	var conditions []string
	if source != "" {
		conditions = append(conditions, "source = "+quoted(source))
	}
	for _, hidden := range b.hidden {
		if source == "" || hidden.Source == source {
			conditions = append(conditions, "("+selected(hidden)+") IS NOT TRUE")
		}
	}
	if len(conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}

// selected returns the SQL condition for selected events.
func selected(selection parts.Selection) string {
	conditions := []string{"source = " + quoted(selection.Source)}
	if selection.Project != "" {
		project := quoted(selection.Project)
		conditions = append(conditions, "(of_project = "+project+" OR of_projects IS NOT NULL AND list_contains("+projectList+", "+project+"))")
	}
	if !selection.Before.IsZero() {
		conditions = append(conditions, fmt.Sprintf("timestamp < make_timestamp(%d)", selection.Before.UnixMicro()))
	}
	return strings.Join(conditions, " AND ")
}

// projectList is the list of the projects of an event that has several.
const projectList = `from_json(of_projects, '["VARCHAR"]')`

func partCatalog(number uint64) string { return fmt.Sprintf("part%d", number) }

// branches returns what the views read, of the parts and of what is in memory.
func (s *Store) branches() []branch {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	found := make([]branch, 0, len(s.recent)+len(s.manifest.Parts))
	for _, table := range slices.Backward(s.recent) {
		found = append(found, table.branch())
	}
	return append(found, partBranches(s.manifest)...)
}

// branch returns what the views read of the schema. [Store.mutex] must be held if they read it already.
func (r *recent) branch() branch {
	return branch{place: r.place(), fields: r.fields, hidden: r.hidden}
}

// partBranches returns what views of parts read: the newest first, because a query for the newest events then skips most
// of the others. [attachments.attach] notes which are damaged.
func partBranches(manifest parts.Manifest) []branch {
	found := make([]branch, 0, len(manifest.Parts))
	for _, at := range newestFirst(manifest.Parts) {
		part := &manifest.Parts[at]
		found = append(found, branch{place: partCatalog(part.Number), part: part, fields: part.Fields, hidden: part.Hidden})
	}
	return found
}

// newestFirst returns the places of parts, in the descending order of their newest events.
func newestFirst(all []parts.Part) []int {
	newest := make([]time.Time, len(all))
	places := make([]int, len(all))
	for i := range all {
		places[i] = i
		for _, source := range all[i].Sources {
			if source.Newest.After(newest[i]) {
				newest[i] = source.Newest
			}
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return newest[b].Compare(newest[a]) })
	return places
}

// publish makes the views read what the manifest names and what is in memory, and drops schemas that are in parts now.
// Queries that run end on what they have begun with. Who changes what the views read calls it afterwards. After an error
// the views are as before, until [Store.catchUp] succeeds.
func (s *Store) publish(ctx context.Context, dropped ...*recent) error {
	ctx = context.WithoutCancel(ctx) // half of it would leave the store behind its manifest
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.snapshots.views.Add(1) // earlier snapshots name files that can be removed now
	s.dropped = append(s.dropped, dropped...)
	err := repeated(func() error {
		return s.onCurrent(ctx, func(conn *sql.Conn) error { return s.changeViews(ctx, conn) })
	})
	s.behind.Store(err != nil)
	s.snapshots.views.Add(1)
	if err != nil {
		return fmt.Errorf("show the events of the store: %w", err)
	}
	return nil
}

func (s *Store) changeViews(ctx context.Context, conn *sql.Conn) error {
	if err := s.config.step("change the views"); err != nil {
		return err
	}
	branches := s.branches()
	s.attached.attach(ctx, conn, s.using, branches)
	err := inTransaction(ctx, conn, func() error {
		statements := viewsOf(s.Tables(), branches)
		for _, table := range s.dropped {
			statements = append(statements, "DROP SCHEMA IF EXISTS "+table.place()+" CASCADE")
		}
		return execAll(ctx, conn, statements)
	})
	if err != nil {
		return err
	}
	s.dropped = nil
	if err := s.attached.retire(ctx, conn, s.using, branches); err != nil { // the views are right
		s.config.logger.WarnContext(ctx, "old files of the store stay until it is opened again", slog.Any("error", err))
	}
	return nil
}

func execAll(ctx context.Context, conn *sql.Conn, statements []string) error {
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// catchUp changes the views if that failed before.
func (s *Store) catchUp(ctx context.Context) error {
	if !s.behind.Load() {
		return nil
	}
	return s.publish(ctx)
}

// reading runs work on what the views read, which stays meanwhile. It can run work twice; see
// [repeated].
func (s *Store) reading(ctx context.Context, work func(conn *sql.Conn, branches []branch) error) error {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	return repeated(func() error {
		return onConnection(ctx, s.db, func(conn *sql.Conn, on *instance) error {
			branches := s.branches()
			s.attached.attach(ctx, conn, on, branches)
			return work(conn, branches)
		})
	})
}

// path returns the path of a file in the directory of the parts.
func (s *Store) path(name string) string { return s.attached.path(name) }

// removeFiles removes the files of a part.
func (s *Store) removeFiles(part *parts.Part) error {
	var errs []error
	for _, name := range []string{part.FileName(), part.IDName(), part.FileName() + ".wal"} {
		errs = append(errs, s.remove(name))
	}
	return errors.Join(errs...)
}

// remove removes a file in the directory of the parts, if it exists.
func (s *Store) remove(name string) error {
	if err := s.config.step("remove a file"); err != nil {
		return err
	}
	if err := os.Remove(s.path(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// recordView is the view of the records of a source.
type recordView struct{ name, source, columns string }

// recordViews returns the views of the records that statistics read, with their columns after the timestamp.
func recordViews() []recordView {
	return []recordView{
		{"function_invocations", "function_edge_logs", "project_ref, function_id, execution_time_ms, status_code, project_key"},
		{"edge_requests", "edge_logs", "url, request_path AS path"},
	}
}

// viewsOf returns the statements that make all views.
func viewsOf(sources sqlq.Tables, branches []branch) []string {
	views := make([]string, 0, len(sources)+len(recordViews())+1)
	for _, source := range sources {
		views = append(views, viewOf(source.Name, branches, func(branch *branch) []string {
			if !branch.has(source.Name) {
				return nil
			}
			return []string{"SELECT " + strings.Join(append([]string{idText + ", timestamp, event_message, project, metadata"}, fieldColumns(source, branch)...), ", ") +
				" FROM " + branch.table(sources, eventsTable) + branch.condition(source.Name)}
		}))
	}
	views = append(views,
		allLogs(sqlq.AllLogs, sources, branches, func(*branch) bool { return true }, ""),
		allLogs(sqlq.SharedLogs, sources, branches, (*branch).hasShared, "of_projects IS NOT NULL"))
	for _, view := range recordViews() {
		views = append(views, viewOf(view.name, branches, func(branch *branch) []string {
			if !branch.has(view.source) {
				return nil
			}
			condition := branch.condition(view.source)
			found := []string{"SELECT timestamp, " + view.columns + " FROM " + branch.table(sources, eventsTable) + condition + " AND single_record"}
			if branch.hasRecords() {
				found = append(found, "SELECT timestamp, "+view.columns+" FROM "+branch.table(sources, recordsTable)+condition)
			}
			return found
		}))
	}
	for _, source := range sources {
		if records := sqlq.RecordsOf(source.Name); records != nil && source.Shipped {
			views = append(views, typedRows(source, records, sources, branches)...)
		}
	}
	return views
}

// typedRows returns the statements that make [sqlq.TypedRows] and [sqlq.UntypedRows].
func typedRows(source *sqlq.Table, records *sqlq.Records, sources sqlq.Tables, branches []branch) []string {
	const event = idText + ", timestamp, event_message, project, "
	columns := make([]string, len(records.Fields))
	for i, field := range records.Fields {
		columns[i] = field.Column
	}
	view := func(name, items, condition string, has func(branch *branch) bool) string {
		var selects []string
		for i := range branches {
			branch := &branches[i]
			if !has(branch) {
				continue
			}
			where := branch.condition(source.Name)
			if branch.isTyped() {
				where = also(where, condition)
			}
			selects = append(selects, "SELECT "+event+items+" FROM "+branch.table(sources, eventsTable)+where)
		}
		return "CREATE OR REPLACE VIEW " + duckdbsql.QuoteName(name) + " AS " + strings.Join(selects, " UNION ALL ")
	}
	return []string{
		view(sqlq.TypedRows(source.Name), strings.Join(columns, ", ")+", project_key", eventrow.TypedColumn, func(branch *branch) bool { return branch.hasTyped(source.Name) }),
		view(sqlq.UntypedRows(source.Name), "metadata", eventrow.TypedColumn+" IS NOT TRUE", func(branch *branch) bool { return branch.hasUntyped(source.Name) }),
	}
}

// allLogs returns the statement that makes a view of the events of all log sources, as far as a condition selects them.
// Computed columns stand once and not in each branch, because DuckDB binds a view for each query.
func allLogs(name string, sources sqlq.Tables, branches []branch, has func(branch *branch) bool, condition string) string {
	const columns = "timestamp, event_message, metadata, status, method, path, level, project_key"
	var selects []string
	for i := range branches {
		if branch := &branches[i]; has(branch) {
			selects = append(selects, "SELECT source, of_project, of_projects, "+idText+", "+columns+" FROM "+branch.table(sources, eventsTable)+also(branch.condition(""), condition))
		}
	}
	return "CREATE OR REPLACE VIEW " + name + " AS SELECT source, " + aliases(sources) + " AS source_alias, of_project AS project, " +
		"CASE WHEN of_projects IS NOT NULL THEN " + projectList + " END AS projects, id, " + columns + " FROM (" + strings.Join(selects, " UNION ALL ") + ")"
}

// also adds a condition to a WHERE clause, or to an empty text.
func also(where, condition string) string {
	switch {
	case condition == "":
		return where
	case where == "":
		return " WHERE " + condition
	default:
		return where + " AND " + condition
	}
}

// viewOf returns the statement that makes a view of what each branch has.
func viewOf(name string, branches []branch, of func(branch *branch) []string) string {
	var selects []string
	for i := range branches {
		selects = append(selects, of(&branches[i])...)
	}
	return "CREATE OR REPLACE VIEW " + name + " AS " + strings.Join(selects, " UNION ALL ")
}

// fieldColumns returns the fields of a source as columns of its view.
func fieldColumns(source *sqlq.Table, branch *branch) []string {
	columns := make([]string, 0, len(source.Fields))
	for _, field := range source.Fields {
		stored, name := eventrow.FieldColumn(source, field), duckdbsql.QuoteName(field.Name)
		if slices.Contains(branch.fields, stored) {
			columns = append(columns, duckdbsql.QuoteName(stored)+" AS "+name)
		} else {
			columns = append(columns, "NULL::"+duckdbsql.StorageType(field.Type)+" AS "+name)
		}
	}
	return columns
}

// aliases returns the SQL expression for the other name of an event's source.
func aliases(sources sqlq.Tables) string {
	var text strings.Builder
	text.WriteString("CASE source")
	for _, source := range sources {
		if len(source.Aliases) > 0 {
			text.WriteString(" WHEN " + quoted(source.Name) + " THEN " + quoted(source.Aliases[0]))
		}
	}
	text.WriteString(" ELSE NULL::VARCHAR END")
	return text.String()
}
