package clickhouse

import (
	"slices"
	"strings"
	"sync"
	"time"

	"savedq/sqlq"
)

// typedPause is how long no typed columns are read of tables after one has lacked them. An operator can add them at any time.
const typedPause = time.Minute

// untypedTables are the tables that lacked typed columns, and until when they are not asked for again.
type untypedTables struct {
	mutex sync.Mutex
	until map[string]time.Time
}

// typed returns the saved query with the SQL that reads typed columns instead of metadata; nil if there is none for it.
func (e *Engine) typed(query *sqlq.SavedQuery) *sqlq.SavedQuery {
	if query.Translation == nil || query.Translation.TypedSQL == "" || query.SQL != query.Translation.SQL { // what was changed reads other rows
		return nil
	}
	typed := *query
	typed.SQL = query.Translation.TypedSQL
	e.untyped.mutex.Lock()
	defer e.untyped.mutex.Unlock()
	if until, found := e.untyped.until[typedTables(&typed)]; found && e.config.Clock().Before(until) {
		return nil
	}
	return &typed
}

// noteFailure remembers the tables of a query that lack typed columns.
func (e *Engine) noteFailure(typed *sqlq.SavedQuery, failed failure) {
	if failed.code != unknownIdentifier && failed.code != accessDenied {
		return
	}
	e.untyped.mutex.Lock()
	defer e.untyped.mutex.Unlock()
	if e.untyped.until == nil {
		e.untyped.until = make(map[string]time.Time)
	}
	e.untyped.until[typedTables(typed)] = e.config.Clock().Add(typedPause)
}

// typedTables returns the names of the tables of which a query reads typed columns.
func typedTables(query *sqlq.SavedQuery) string {
	var found []string
	for _, table := range query.Tables {
		if names(query.SQL, sqlq.TypedRows(table.Name)) {
			found = append(found, table.Name)
		}
	}
	return strings.Join(found, " ")
}

// ofTyped returns the common table expressions of the typed rows of a table, and of its other rows, that a query reads.
func (e *Engine) ofTyped(query *sqlq.SavedQuery, table *sqlq.Table) []string {
	if !names(query.SQL, sqlq.TypedRows(table.Name)) {
		return nil
	}
	where := ""
	if query.Series != nil && slices.ContainsFunc(query.Series.Tables, func(name string) bool {
		return slices.ContainsFunc(table.Names(), func(own string) bool { return strings.EqualFold(own, name) })
	}) {
		where = " AND " + boundsOf("timestamp")
	}
	var columns, typed []string
	for _, column := range table.Columns() {
		if !column.IsMetadata {
			columns = append(columns, quoteName(column.Name))
		}
	}
	for _, column := range table.MetadataColumns() {
		typed = append(typed, quoteName(column.Name))
	}
	expression := func(name string, columns []string, operator string) string {
		return quoteName(name) + " AS (SELECT " + strings.Join(columns, ", ") + " FROM " + e.qualified(table.Name) + " WHERE " + quoteName(sqlq.MetadataTyped) + operator + "0" + where + ")"
	}
	return []string{
		expression(sqlq.TypedRows(table.Name), slices.Concat(columns, typed), " != "),
		expression(sqlq.UntypedRows(table.Name), columns, " = "),
	}
}
