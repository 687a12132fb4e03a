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

// hasPlaces reports whether the branch says which of its events are placed.
func (b *branch) hasPlaces() bool { return b.part == nil || b.part.Places }

// hasUnplaced reports whether the branch can have events that are not placed.
func (b *branch) hasUnplaced() bool { return !b.hasPlaces() || b.part == nil || b.part.Unplaced > 0 }

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
	s.views.show(s.Tables(), branches)
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

// view is a view of the events of a store.
type view struct {
	name string
	// has reports whether a branch can have rows of the view, and source is whose events they are; "" for all.
	has    func(branch *branch) bool
	source string
	// selects returns the queries of the rows of a branch, and around the beginning and the end of what stands around all.
	selects func(branch *branch) []string
	around  [2]string
}

// of returns the query of the rows of some branches.
func (v *view) of(branches []branch) string {
	var selects []string
	for i := range branches {
		if branch := &branches[i]; v.has(branch) {
			selects = append(selects, v.selects(branch)...)
		}
	}
	return v.around[0] + strings.Join(selects, " UNION ALL ") + v.around[1]
}

// viewsOf returns the statements that make all views.
func viewsOf(sources sqlq.Tables, branches []branch) []string {
	all := allViews(sources)
	statements := make([]string, len(all))
	for i, view := range all {
		statements[i] = "CREATE OR REPLACE VIEW " + duckdbsql.QuoteName(view.name) + " AS " + view.of(branches)
	}
	return statements
}

// allViews returns the views of the events of log sources.
func allViews(sources sqlq.Tables) []view {
	views := make([]view, 0, len(sources)+len(recordViews())+1)
	for _, source := range sources {
		views = append(views, view{
			name: source.Name, source: source.Name,
			has: func(branch *branch) bool { return branch.has(source.Name) },
			selects: func(branch *branch) []string {
				columns := append([]string{idText + ", timestamp, event_message, project, metadata"}, fieldColumns(source, branch)...)
				return []string{"SELECT " + strings.Join(columns, ", ") + " FROM " + branch.table(sources, eventsTable) + branch.condition(source.Name)}
			},
		})
	}
	views = append(views, allLogs(sqlq.AllLogs, sources, func(*branch) bool { return true }, "")...)
	views = append(views, allLogs(sqlq.SharedLogs, sources, (*branch).hasShared, "of_projects IS NOT NULL")...)
	for _, records := range recordViews() {
		views = append(views, view{
			name: records.name, source: records.source,
			has: func(branch *branch) bool { return branch.has(records.source) },
			selects: func(branch *branch) []string {
				condition := branch.condition(records.source)
				found := []string{"SELECT timestamp, " + records.columns + " FROM " + branch.table(sources, eventsTable) + condition + " AND single_record"}
				if branch.hasRecords() {
					found = append(found, "SELECT timestamp, "+records.columns+" FROM "+branch.table(sources, recordsTable)+condition)
				}
				return found
			},
		})
	}
	for _, source := range sources {
		if records := sqlq.RecordsOf(source.Name); records != nil && source.Shipped {
			views = append(views, typedRows(source, records, sources)...)
		}
	}
	return views
}

// typedRows returns [sqlq.TypedRows] and [sqlq.UntypedRows].
func typedRows(source *sqlq.Table, records *sqlq.Records, sources sqlq.Tables) []view {
	const event = idText + ", timestamp, event_message, project, "
	columns := make([]string, len(records.Fields))
	for i, field := range records.Fields {
		columns[i] = field.Column
	}
	rows := func(name, items, condition string, has func(branch *branch) bool) view {
		return view{name: name, source: source.Name, has: has, selects: func(branch *branch) []string {
			where := branch.condition(source.Name)
			if branch.isTyped() {
				where = also(where, condition)
			}
			return []string{"SELECT " + event + items + " FROM " + branch.table(sources, eventsTable) + where}
		}}
	}
	return []view{
		rows(sqlq.TypedRows(source.Name), strings.Join(columns, ", ")+", project_key", eventrow.TypedColumn, func(branch *branch) bool { return branch.hasTyped(source.Name) }),
		rows(sqlq.UntypedRows(source.Name), "metadata", eventrow.TypedColumn+" IS NOT TRUE", func(branch *branch) bool { return branch.hasUntyped(source.Name) }),
	}
}

// allLogs returns a view of the events of all log sources and, behind it, its [sqlq.TypedRows] and [sqlq.UntypedRows].
// Computed columns stand once and not in each branch, because DuckDB binds a view for each query.
func allLogs(name string, sources sqlq.Tables, has func(branch *branch) bool, condition string) []view {
	const columns = "timestamp, event_message, metadata, status, method, path, level, project_key"
	logs := func(name, columns, placed string, has func(branch *branch) bool) view {
		return view{
			name: name, has: has,
			selects: func(branch *branch) []string {
				where := also(branch.condition(""), condition)
				if branch.hasPlaces() {
					where = also(where, placed)
				}
				return []string{"SELECT source, of_project, of_projects, " + idText + ", " + columns + " FROM " + branch.table(sources, eventsTable) + where}
			},
			around: [2]string{
				"SELECT source, " + aliases(sources) + " AS source_alias, of_project AS project, " +
					"CASE WHEN of_projects IS NOT NULL THEN " + projectList + " END AS projects, id, " + columns + " FROM (", ")",
			},
		}
	}
	return []view{
		logs(name, columns, "", has),
		logs(sqlq.TypedRows(name), columns+", "+sqlq.PlacesColumn, sqlq.PlacesColumn+" IS NOT NULL", func(branch *branch) bool { return has(branch) && branch.hasPlaces() }),
		logs(sqlq.UntypedRows(name), columns, sqlq.PlacesColumn+" IS NULL", func(branch *branch) bool { return has(branch) && branch.hasUnplaced() }),
	}
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
