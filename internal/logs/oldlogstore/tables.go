package logstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/tables"
)

// Tables returns the log sources that the store has: the shipped ones, and those that were declared, also
// before this process.
func (s *Store) Tables() sqlq.Tables { return *s.tables.Load() }

// ownTable is a declared log source, as the store keeps it. Its JSON must stay readable.
type ownTable struct {
	Name          string     `json:"name"`
	Aliases       []string   `json:"aliases,omitempty"`
	ProjectMember string     `json:"project_member,omitempty"`
	Fields        []ownField `json:"fields,omitempty"`
}

type ownField struct {
	Name string    `json:"name"`
	Type sqlq.Type `json:"type"`
	Path []string  `json:"path"`
}

func newOwnTable(table *sqlq.Table) ownTable {
	own := ownTable{Name: table.Name, Aliases: table.Aliases, ProjectMember: table.ProjectMember}
	for _, field := range table.Fields {
		own.Fields = append(own.Fields, ownField{field.Name, field.Type, field.Path})
	}
	return own
}

func (o *ownTable) table() *sqlq.Table {
	table := &sqlq.Table{Name: o.Name, Aliases: o.Aliases, ProjectMember: o.ProjectMember}
	for _, field := range o.Fields {
		table.Fields = append(table.Fields, sqlq.Field{Name: field.Name, Type: field.Type, Path: field.Path})
	}
	return table
}

// readTables reads which log sources were declared before.
func (s *Store) readTables(ctx context.Context) error {
	known := tables.Shipped()
	var definition string
	err := eachRow(ctx, s.db, "SELECT definition FROM own_tables ORDER BY name", nil, []any{&definition}, func() error {
		var own ownTable
		if err := json.Unmarshal([]byte(definition), &own); err != nil {
			return fmt.Errorf("read what was declared about a table: %w", err)
		}
		known = append(known, own.table())
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the tables of the store: %w", err)
	}
	s.tables.Store(&known)
	_, err = s.readFilling(ctx)
	return err
}

// Declare gives the store the log sources of authors among the tables: it creates those that are new, and
// adds the fields that are new. Events that were stored before have NULL there until [Store.Fill] has read
// them. A source that is not declared any more stays, with its events. The error is [sqlq.FileErrors] if a
// field was removed, or has another type or path than its stored values. After an error nothing has changed.
func (s *Store) Declare(ctx context.Context, declared sqlq.Tables) error {
	return s.asWriter(ctx, func(conn *sql.Conn) error {
		known := s.Tables()
		changed := slices.DeleteFunc(declared.Sources(), func(table *sqlq.Table) bool {
			before, found := known.FindSource(table.Name)
			return table.Shipped || found && reflect.DeepEqual(before, table)
		})
		if len(changed) == 0 {
			return nil
		}
		next := slices.DeleteFunc(slices.Clone(known), func(table *sqlq.Table) bool {
			_, replaced := changed.Find(table.Name)
			return replaced
		})
		next = append(next, changed...)
		var waiting map[string]unfilled
		err := inTransaction(ctx, conn, func() (err error) {
			if err = declareAll(ctx, conn, known, changed); err == nil {
				err = s.viewAll(ctx, conn, next)
			}
			if err == nil {
				waiting, err = readUnfilled(ctx, conn)
			}
			return err
		})
		if err == nil { // nothing fails after this
			s.tables.Store(&next)
			s.filling.use(waiting)
		}
		return err
	})
}

// declareAll declares tables in the connection's transaction. The error has the mistakes of all.
func declareAll(ctx context.Context, conn *sql.Conn, known, tables sqlq.Tables) error {
	var mistakes sqlq.FileErrors
	for _, table := range tables {
		err := declare(ctx, conn, known, table)
		if found, isMistake := errors.AsType[sqlq.FileErrors](err); isMistake {
			mistakes = append(mistakes, found...)
		} else if err != nil {
			return fmt.Errorf("declare the table %s: %w", table.Name, err)
		}
	}
	if len(mistakes) > 0 {
		return mistakes
	}
	return nil
}

// infoAllLogs is the key of the text of the view [sqlq.AllLogs] in store_info.
const infoAllLogs = "all_logs"

// searchFields are the columns of the view with the fields of logs.search: the first of some places in metadata that is
// not null, a list or an object. Metadata is parsed once.
const searchFields = `
  nullif(regexp_extract(coalesce(fields[1] ->> '$', fields[2] ->> '$'), '^([1-9][0-9]{2})(?:\.0+)?$', 1), '') AS status,
  coalesce(fields[3] ->> '$', fields[4] ->> '$') AS method,
  coalesce(fields[5] ->> '$', fields[6] ->> '$', fields[7] ->> '$') AS path,
  coalesce(fields[8] ->> '$', fields[9] ->> '$') AS level
FROM (
  SELECT *, json_value(metadata, [
    '$[0].response[0].status_code', '$[0].status',
    '$[0].request[0].method', '$[0].method',
    '$[0].request[0].path', '$[0].request[0].pathname', '$[0].path',
    '$[0].level', '$[0].parsed[0].error_severity'
  ]) AS fields
  FROM (`

// viewAll makes the view of all log sources, unless it is there. The project of an event is in project, or
// else its projects are in projects (D23). So conditions on them become conditions on what a table has. The key of
// a project is not computed.
func (s *Store) viewAll(ctx context.Context, conn *sql.Conn, tables sqlq.Tables) error {
	branches := make([]string, 0, len(tables))
	for _, table := range tables {
		alias, project, projects := "NULL::VARCHAR", "project", "NULL::VARCHAR[]"
		if len(table.Aliases) > 0 {
			alias = "'" + table.Aliases[0] + "'"
		}
		if table.ProjectMember != "" {
			project, projects = "NULL::VARCHAR", projectsIn(table)
		}
		branches = append(branches, fmt.Sprintf("SELECT '%[1]s' AS source, %[2]s AS source_alias, id, timestamp, event_message, %[3]s AS project, %[4]s AS projects, metadata FROM %[1]s",
			table.Name, alias, project, projects))
	}
	view := "CREATE OR REPLACE VIEW " + sqlq.AllLogs + " AS SELECT * EXCLUDE (fields), 0::UBIGINT AS project_key," + searchFields + //nolint:gosec // As declare.
		strings.Join(branches, " UNION ALL ") + "))"
	if made, err := s.info(ctx, infoAllLogs); err != nil || made == view {
		return err
	}
	if _, err := conn.ExecContext(ctx, view); err != nil {
		return err
	}
	return setInfo(ctx, conn, infoAllLogs, view)
}

// incompatible returns what of a declaration does not fit the stored values.
func incompatible(before, table *sqlq.Table) sqlq.FileErrors {
	var mistakes sqlq.FileErrors
	for _, stored := range before.Fields {
		at := slices.IndexFunc(table.Fields, func(field sqlq.Field) bool { return field.Name == stored.Name })
		path := strings.Join(stored.Path, ".")
		remove := fmt.Sprintf("remove the stored values with \"savedq store drop-field %s.%s\"", table.Name, stored.Name)
		switch {
		case at < 0:
			mistakes = append(mistakes, table.Place.Mistakef("the store has values of a field %s (%s, path metadata.%s) that is not declared any more; declare it again, or %s", stored.Name, stored.Type, path, remove))
		case table.Fields[at].Type != stored.Type:
			mistakes = append(mistakes, table.Fields[at].Place.Mistakef("the stored values of the field %s have the type %s, not %s; give the field of the new type another name, or %s", stored.Name, stored.Type, table.Fields[at].Type, remove))
		case !slices.Equal(table.Fields[at].Path, stored.Path):
			mistakes = append(mistakes, table.Fields[at].Place.Mistakef("the stored values of the field %s were read from metadata.%s; give the field of the new path another name, or %s", stored.Name, path, remove))
		}
	}
	return mistakes
}

// eventColumns are the columns of every log source (D23). Metadata is JSON text in the warehouse's storage
// shape (D14). Texts are always compressed with FSST (docs/adr/038).
const eventColumns = "id VARCHAR NOT NULL USING COMPRESSION fsst, timestamp TIMESTAMP NOT NULL, event_message VARCHAR USING COMPRESSION fsst, " +
	"project VARCHAR, metadata VARCHAR USING COMPRESSION fsst"

// declare creates a table, or adds its new fields, in the connection's transaction. A table without events is
// created again.
func declare(ctx context.Context, conn *sql.Conn, known sqlq.Tables, table *sqlq.Table) error {
	before, exists := known.FindSource(table.Name)
	empty := !exists
	if exists {
		var err error
		if empty, err = isEmpty(ctx, conn, table.Name); err != nil {
			return err
		}
		if mistakes := incompatible(before, table); !empty && len(mistakes) > 0 {
			return mistakes
		}
	}
	if empty {
		before = &sqlq.Table{}
		if err := create(ctx, conn, table.Name); err != nil {
			return err
		}
	}
	for _, field := range table.Fields {
		if slices.ContainsFunc(before.Fields, func(stored sqlq.Field) bool { return stored.Name == field.Name }) {
			continue
		}
		if _, err := conn.ExecContext(ctx, fmt.Sprintf(`ALTER TABLE %s ADD COLUMN "%s" %s`, table.Name, field.Name, duckdbsql.StorageType(field.Type))); err != nil {
			return err
		}
		if empty {
			continue
		}
		if _, err := conn.ExecContext(ctx, "INSERT INTO unfilled_fields VALUES (?, ?, NULL)", table.Name, field.Name); err != nil {
			return err
		}
	}
	return note(ctx, conn, table)
}

// create creates the table of a log source without fields, in the place of an empty one.
func create(ctx context.Context, conn *sql.Conn, name string) error {
	if _, err := conn.ExecContext(ctx, "DELETE FROM unfilled_fields WHERE table_name = ?", name); err != nil {
		return err
	}
	_, err := conn.ExecContext(ctx, "CREATE OR REPLACE TABLE "+name+" ("+eventColumns+")")
	return err
}

// note notes what is declared about a table.
func note(ctx context.Context, conn *sql.Conn, table *sqlq.Table) error {
	definition, err := json.Marshal(newOwnTable(table))
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "INSERT OR REPLACE INTO own_tables VALUES (?, ?)", table.Name, string(definition))
	return err
}

// DropField removes a field of a declared log source with its values. Metadata keeps what they were read
// from.
func (s *Store) DropField(ctx context.Context, name, field string) error {
	table, found := s.Tables().FindSource(name)
	if !found || !slices.ContainsFunc(table.Fields, func(stored sqlq.Field) bool { return stored.Name == field }) {
		return fmt.Errorf("the store has no field %s.%s", name, field)
	}
	rest := *table
	rest.Fields = slices.DeleteFunc(slices.Clone(table.Fields), func(stored sqlq.Field) bool { return stored.Name == field })
	err := s.asWriter(ctx, func(conn *sql.Conn) error {
		err := inTransaction(ctx, conn, func() error {
			_, dropErr := conn.ExecContext(ctx, fmt.Sprintf(`ALTER TABLE %s DROP COLUMN "%s"`, table.Name, field))
			_, forgetErr := conn.ExecContext(ctx, "DELETE FROM unfilled_fields WHERE table_name = ? AND field = ?", table.Name, field)
			return errors.Join(dropErr, forgetErr, note(ctx, conn, &rest))
		})
		if err != nil {
			return err
		}
		return s.readTables(ctx)
	})
	if err != nil {
		return fmt.Errorf("drop the field %s.%s: %w", name, field, err)
	}
	return nil
}
