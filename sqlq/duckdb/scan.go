package duckdb

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/sqltext"
	"savedq/sqlq/tables"
)

// scans are the files that a run reads, in the place of tables. The zero value has none.
type scans struct {
	// tables are those that can be read, and all also those that turned out not to be readable.
	tables, all []*tablefiles.Listing
	// failures are why other tables cannot be read.
	failures []tableFailure
}

// tableFailure is why the files of a table cannot be read.
type tableFailure struct {
	table *sqlq.Table
	err   error
}

// with returns the common table expressions of the files, on one line. They are not materialized, so that what
// the SQL needs decides what is read.
func (s scans) with() string {
	if len(s.tables) == 0 {
		return ""
	}
	expressions := make([]string, len(s.tables))
	for i, listing := range s.tables {
		expressions[i] = fmt.Sprintf("%s AS NOT MATERIALIZED (SELECT %s FROM %s)", duckdbsql.QuoteName(listing.Table.Name), readColumns(listing), scanOf(listing))
	}
	return "WITH " + strings.Join(expressions, ", ") + " "
}

// bounded returns the change that hides the tables of a series behind their rows in the range of the run.
func (s scans) bounded(query *sqlq.SavedQuery) sqltext.Change {
	return sqltext.Bounded(duckdbsql.Dialect{}, query, func(table string) string {
		if slices.ContainsFunc(s.tables, func(listing *tablefiles.Listing) bool { return strings.EqualFold(listing.Table.Name, table) }) {
			return duckdbsql.QuoteName(table) // the common table expression around the SQL
		}
		return ""
	})
}

// readColumns returns the columns of files in their types. DuckDB drops the casts that change nothing.
func readColumns(listing *tablefiles.Listing) string {
	files := listing.Table.Files
	if len(files.Columns) == 0 {
		return "*"
	}
	columns, partitions := make([]string, len(files.Columns)), listing.Partitions()
	for i, column := range files.Columns {
		name, typ := duckdbsql.QuoteName(column.Name), fileType(column.Type)
		value := fmt.Sprintf("CAST(%s AS %s)", name, typ)
		isPartition := slices.ContainsFunc(partitions, isNamed(column.Name))
		switch {
		case column.Type == sqlq.JSON:
			const form = "CASE WHEN typeof(%s) IN ('VARCHAR', 'JSON') THEN %s ELSE to_json(%[1]s) END"
			value = fmt.Sprintf(form, name, fromText(listing.Table, name, typ))
		case files.Format == tables.CSV && csvType(typ) != typ && !isPartition:
			value = fmt.Sprintf("CAST(%s AS %s)", fromText(listing.Table, name, zoned(typ)), typ)
		case isPartition && zoned(typ) != typ:
			value = fmt.Sprintf("CAST(CAST(%s AS %s) AS %s)", name, zoned(typ), typ)
		}
		columns[i] = value + " AS " + name
	}
	return strings.Join(columns, ", ")
}

// isNamed reports whether a name is the given one.
func isNamed(name string) func(string) bool {
	return func(other string) bool { return strings.EqualFold(name, other) }
}

// fromText returns the value of a text in a column. The error about another text names the file, as those of DuckDB's readers do, and
// the beginning of the text. But filename can be a column of the file itself, with any value.
func fromText(table *sqlq.Table, name, typ string) string {
	const valueLength = 100 // more than messages show
	fault := fmt.Sprintf("error(concat('%s', filename, %s, to_json(left(CAST(%s AS VARCHAR), %d))))",
		wrongText(table), quoteText(", column "+name+", value "), name, valueLength)
	return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN coalesce(TRY_CAST(%[1]s AS %s), %s) END", name, typ, fault)
}

// wrongText begins an error about a text in a file of a table.
func wrongText(table *sqlq.Table) string {
	return "transform error in the table " + table.Name + ", in "
}

// zoned returns the type in which DuckDB reads a text as a column's type. It ignores the offset of a text that becomes a TIMESTAMP.
func zoned(typ string) string { return strings.ReplaceAll(typ, "TIMESTAMP", "TIMESTAMPTZ") }

// csvType is the type in which CSV is read. Texts become JSON and times later: with a TIMESTAMP, DuckDB guesses a format
// by the values, and with a TIMESTAMPTZ, what is no time is NULL.
func csvType(typ string) string {
	if strings.HasPrefix(typ, "JSON") || zoned(typ) != typ {
		return "VARCHAR"
	}
	return typ
}

// fileType is DuckDB's name of the type of a column of files.
func fileType(typ sqlq.Type) string {
	switch {
	case typ.IsArray():
		return fileType(typ.Element()) + "[]"
	case typ == sqlq.JSON:
		return "JSON"
	}
	return duckdbsql.StorageType(typ)
}

// scanOf returns the function that reads the files of a listing with their declared columns, with more options.
func scanOf(listing *tablefiles.Listing, options ...string) string {
	files, partitions := listing.Table.Files, listing.Partitions()
	options = append(options, fmt.Sprintf("hive_partitioning = %t", len(partitions) > 0))
	if len(partitions) > 0 && len(files.Columns) > 0 {
		options = append(options, "hive_types_autocast = false") // 01 is a text
	}
	inFiles := listing.InFiles()
	function := "read_parquet"
	if files.Format != tables.Parquet {
		options = append(options, "compression = '"+tablefiles.Compression(files.Pattern)+"'")
	}
	switch files.Format {
	case tables.CSV:
		function = "read_csv"
		// What is not set here, DuckDB guesses by the values: the order of day and month, and whether lines are comments.
		options = append(options, "header = true", "all_varchar = true", "delim = "+quoteText(cmp.Or(files.Separator, ",")),
			`quote = '"'`, `escape = '"'`, "comment = ''", "dateformat = '%Y-%m-%d'")
		if len(inFiles) > 0 {
			options = append(options, "types = "+typesSQL(inFiles, func(typ sqlq.Type) string { return csvType(fileType(typ)) }))
		}
	case tables.NDJSON, tables.JSON:
		function = "read_json"
		format := "auto"
		if files.Format == tables.NDJSON {
			format = "newline_delimited"
		}
		types := typesSQL(inFiles, func(typ sqlq.Type) string { return zoned(fileType(typ)) })
		options = append(options, "format = '"+format+"'", "columns = "+types)
	}
	paths := make([]string, len(listing.Files))
	for i, file := range listing.Files {
		paths[i] = quotePath(file.Path)
	}
	return fmt.Sprintf("%s([%s], %s)", function, strings.Join(paths, ", "), strings.Join(options, ", "))
}

// typesSQL returns the types of columns by name.
func typesSQL(columns []sqlq.Column, typeOf func(sqlq.Type) string) string {
	types := make([]string, len(columns))
	for i, column := range columns {
		types[i] = quoteText(column.Name) + ": " + quoteText(typeOf(column.Type))
	}
	return "{" + strings.Join(types, ", ") + "}"
}

// quotePath returns the path of one file as a text of SQL, although DuckDB reads a pattern.
func quotePath(path string) string {
	return quoteText(strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(path))
}

// quoteText returns a text of SQL on one line.
func quoteText(text string) string {
	return "e'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + "'"
}
