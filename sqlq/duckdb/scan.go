package duckdb

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/duckdb/filecheck"
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
	return sqltext.Bounded(duckdbsql.Dialect{}, query, s.from)
}

// from returns what the rows of a table are read from: the common table expression around the SQL if it has files.
func (s scans) from(table string) string {
	if slices.ContainsFunc(s.tables, func(listing *tablefiles.Listing) bool { return strings.EqualFold(listing.Table.Name, table) }) {
		return duckdbsql.QuoteName(table)
	}
	return ""
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
		switch {
		case files.Format == tables.CSV || slices.ContainsFunc(partitions, isNamed(column.Name)):
			value = ofText(column.Type, name)
		case files.Format != tables.Parquet:
			value = ofElement(column.Type, name)
		case column.Type == sqlq.JSON:
			value = fmt.Sprintf("CASE WHEN typeof(%s) IN ('VARCHAR', 'JSON') THEN CAST(%[1]s AS JSON) ELSE to_json(%[1]s) END", name)
		}
		columns[i] = value + " AS " + name
	}
	return strings.Join(columns, ", ")
}

// ofText returns the value of a text of CSV or of the name of a directory, which [wrongTextSQL] has checked.
func ofText(typ sqlq.Type, text string) string {
	switch {
	case typ == sqlq.String:
		return text
	case typ.IsArray():
		return ofElement(typ, fmt.Sprintf("CAST(CAST(nullif(%s, '') AS JSON) AS %s)", text, jsonType(typ)))
	}
	return ofElement(typ, "nullif("+text+", '')")
}

// ofElement returns the value of what a JSON file has, read as [jsonType] and checked by [wrongJSONSQL].
func ofElement(typ sqlq.Type, value string) string {
	switch {
	case typ.IsArray():
		element := elementOf(typ)
		return fmt.Sprintf("list_transform(%s, lambda %s: %s)", value, element, ofElement(typ.Element(), element))
	case typ == sqlq.Timestamp: // a text, or microseconds since 1970
		return fmt.Sprintf("CASE WHEN contains(%s, '-') THEN CAST(CAST(%[1]s AS TIMESTAMPTZ) AS TIMESTAMP) ELSE make_timestamp(TRY_CAST(%[1]s AS BIGINT)) END", value)
	}
	return fmt.Sprintf("CAST(%s AS %s)", value, fileType(typ))
}

// jsonType is DuckDB's type in which a value of JSON is read: JSON, or the text of a value, which loses no digits.
func jsonType(typ sqlq.Type) string {
	if typ.Innermost() == sqlq.JSON {
		return fileType(typ)
	}
	return fileType(withInnermost(typ, sqlq.String))
}

// isNamed reports whether a name is the given one.
func isNamed(name string) func(string) bool {
	return func(other string) bool { return strings.EqualFold(name, other) }
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
		// DuckDB guesses all that is not set here by the values: the order of day and month, whether lines are comments, and how many
		// lines before the longest ones are no rows.
		options = append(options, "header = true", "skip = 0", "all_varchar = true", "delim = "+quoteText(cmp.Or(files.Separator, ",")),
			`quote = '"'`, `escape = '"'`, "comment = ''", "allow_quoted_nulls = false", csvBuffer)
		if len(inFiles) > 0 {
			options = append(options, "types = "+typesSQL(inFiles, func(sqlq.Type) string { return "VARCHAR" }))
		}
	case tables.NDJSON, tables.JSON:
		options = append(options, "columns = "+typesSQL(inFiles, jsonType))
		return scanOfJSON(listing, strings.Join(options, ", "))
	}
	return fmt.Sprintf("%s([%s], %s)", function, quotePaths(listing.Files), strings.Join(options, ", "))
}

// scanOfJSON returns what reads JSON files. Those of another format than DuckDB finds are read by a call of their own.
func scanOfJSON(listing *tablefiles.Listing, options string) string {
	byFormat := make(map[string][]tablefiles.File)
	for _, file := range listing.Files {
		format := jsonFormat(listing.Table.Files.Format, file)
		byFormat[format] = append(byFormat[format], file)
	}
	var calls []string
	for _, format := range slices.Sorted(maps.Keys(byFormat)) {
		calls = append(calls, fmt.Sprintf("read_json([%s], format = '%s', %s)", quotePaths(byFormat[format]), format, options))
	}
	if len(calls) == 1 {
		return calls[0]
	}
	return "(FROM " + strings.Join(calls, " UNION ALL BY NAME FROM ") + ")"
}

// jsonFormat returns what DuckDB has to be told of the format of a JSON file.
func jsonFormat(format string, file tablefiles.File) string {
	if format == tables.JSON && filecheck.IsMarkedList(file.Path) {
		return "array"
	}
	return "auto"
}

// quotePaths returns the paths of files as texts of SQL.
func quotePaths(files []tablefiles.File) string {
	paths := make([]string, len(files))
	for i, file := range files {
		paths[i] = quotePath(file.Path)
	}
	return strings.Join(paths, ", ")
}

// csvBuffer is how much DuckDB reads of CSV at a time: twice the longest record. By itself it takes 32 MiB for each thread and query, of
// small files, too, so that a few runs at a time have no memory.
const csvBuffer = "buffer_size = 4194304"

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
