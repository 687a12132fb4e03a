package logstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"savedq/sqlq"
)

// Events arrive in the order of their time, so the events of a project are in every row group,
// and a query for one project reads all of them. Clustering moves the rows of a closed day to
// the end of their table, in the order of their project and their time. Then DuckDB skips row
// groups by the project.
//
// A day is moved in many short steps. Each is one transaction, which deletes rows, inserts them
// again and records its place in the day. So each row is there exactly once at any time, also
// after a crash, and clustering continues where it stopped.

const (
	// dayLength is the length of a day that is clustered at once. Days are in UTC.
	dayLength = 24 * time.Hour
	// smallestDay is the number of rows from which a day is worth clustering: one vector of
	// DuckDB, which it reads as a whole.
	smallestDay = 2048
	// lateShare is the part of a day that must have arrived late for the day to be clustered
	// again: one row in lateShare.
	lateShare = 8
	// maxSliceRows limits the rows among which a step looks for its own. A day with more rows is
	// clustered in several slices of time. So a step takes no longer in a large day, and the
	// space of moved rows can be used again after each slice.
	maxSliceRows = 2 << 20
)

// clusteredTable is a table whose rows are clustered by the column project, in steps of at least
// fewestRows, unless there are fewer.
//
// DuckDB compares the first 8 bytes of strings, which many names share. So the rows of a table
// with a key are in the order of a number of their project, which the column key has.
type clusteredTable struct {
	name, project, key string
	fewestRows         int64
}

// order returns the SQL expression for the place of a project among others. A hash must be the
// same in every version of DuckDB, because it is stored, and MD5 is.
func (t clusteredTable) order(project string) string {
	if t.key == "" {
		return project
	}
	return "md5_number_lower(" + project + ")"
}

// columns returns the SQL expressions for the columns of a clustered row.
func (t clusteredTable) columns() string {
	if t.key == "" {
		return "*"
	}
	return fmt.Sprintf("* REPLACE (%s AS %s)", t.order(t.project), t.key)
}

// clusteredTables returns the tables with a column that has the project. Other tables have it
// in their metadata, which DuckDB has no statistics about.
func (s *Store) clusteredTables() []clusteredTable {
	tables := []clusteredTable{{name: "function_invocations", project: "project_ref", key: "project_key", fewestRows: fewestRecords}}
	for _, source := range s.Tables() {
		if column := projectColumn(source); column != "" {
			tables = append(tables, clusteredTable{name: source.Name, project: column, fewestRows: fewestEvents})
		}
	}
	return tables
}

// projectColumn returns the column that has the project of a source's events, or an empty string.
func projectColumn(source *sqlq.Table) string {
	if source.ProjectMember == "" {
		return "project"
	}
	for _, field := range source.Fields {
		if field.Type == sqlq.String && slices.Equal(field.Path, []string{source.ProjectMember}) {
			return `"` + field.Name + `"`
		}
	}
	return ""
}

// Clustering is a pass over the closed days of all tables.
type Clustering struct {
	// Before is the end of the last closed day. It is rounded down to the start of a day in UTC.
	Before time.Time
	// Between is called after each step, and after an attempt that must be repeated because
	// other writers were busy. Nil means that the next step follows at once.
	Between func(ctx context.Context) error
	// Moved is called with the number of moved rows of a table, and Waiting with the number of
	// its days that wait. They may be nil.
	Moved   func(table string, rows int64)
	Waiting func(table string, days int)
}

// Cluster clusters the closed days that are not clustered yet, or that have many new rows
// since. It returns an error if the context ends first; another call continues.
func (s *Store) Cluster(ctx context.Context, clustering Clustering) error {
	clustering.setDefaults()
	for _, table := range s.clusteredTables() {
		if err := s.clusterTable(ctx, table, &clustering); err != nil {
			return fmt.Errorf("cluster %s: %w", table.name, err)
		}
	}
	return nil
}

func (c *Clustering) setDefaults() {
	c.Before = c.Before.UTC().Truncate(dayLength)
	if c.Between == nil {
		c.Between = func(ctx context.Context) error { return ctx.Err() }
	}
	if c.Moved == nil {
		c.Moved = func(string, int64) {}
	}
	if c.Waiting == nil {
		c.Waiting = func(string, int) {}
	}
}

func (s *Store) clusterTable(ctx context.Context, table clusteredTable, clustering *Clustering) error {
	days, err := s.daysToCluster(ctx, table, clustering.Before)
	if err != nil {
		return err
	}
	s.stepSize.start(table.fewestRows)
	for i := range days {
		clustering.Waiting(table.name, len(days)-i)
		if err := s.clusterDay(ctx, &days[i], clustering); err != nil {
			return err
		}
	}
	clustering.Waiting(table.name, 0)
	return nil
}

// clusterDay clusters a day, or the rest of it.
func (s *Store) clusterDay(ctx context.Context, day *clusteredDay, clustering *Clustering) error {
	for day.slice < day.slices {
		steps := &stepReader{store: s, day: day}
		for {
			step, err := steps.next(ctx)
			if err != nil {
				return err
			}
			if step == nil {
				break
			}
			moved, err := s.moveStep(ctx, day, step)
			if errors.Is(err, errWritersBusy) {
				steps.restart()
			} else if err != nil {
				return err
			}
			clustering.Moved(day.table.name, moved)
			if err := clustering.Between(ctx); err != nil {
				return err
			}
		}
		if err := s.endSlice(ctx, day); err != nil {
			return err
		}
	}
	return nil
}
