package duckdb

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/inspect"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// explain returns the error about the files of a table that made a run fail, or the error itself. The code is
// INTERNAL: the query alone has failed, and its caller cannot correct it. The message has no path but that below
// the directory of the table.
func (s scans) explain(err error) error {
	var failure *duckdb.Error
	if !errors.As(err, &failure) {
		return err
	}
	for _, failed := range s.failures {
		if isMissing(failed.table, failure) {
			return failed.err
		}
	}
	for _, listing := range s.all {
		kind, detail, isKnown := explainListing(listing, failure)
		switch {
		case isKnown:
			return tablefiles.NewReadError(listing.Table, kind, detail, tablefiles.Explained(err))
		case detail != "":
			return tablefiles.NewReadError(listing.Table, kind, detail, err)
		}
	}
	return err
}

// isMissing reports whether a run failed because a table is not there. A common table expression of the same name that
// reads it refers to itself then.
func isMissing(table *sqlq.Table, failure *duckdb.Error) bool {
	message, name := strings.ToLower(failure.Msg), strings.ToLower(table.Name)
	return failure.Type == duckdb.ErrorTypeCatalog && strings.Contains(message, "table with name "+name+" does not exist") ||
		failure.Type == duckdb.ErrorTypeBinder && strings.Contains(message, `circular reference to cte "`+name+`"`)
}

// explainListing returns what is wrong with the files of a table; empty if DuckDB's message is about none of them. The message only
// names the file, which is read again to find the cause; isKnown reports whether the detail is that cause.
func explainListing(listing *tablefiles.Listing, failure *duckdb.Error) (kind tablefiles.Kind, detail string, isKnown bool) {
	if column := lacking(listing, failure.Msg); column != "" {
		return tablefiles.Columns, "a file has no column " + column, true
	}
	file := blamed(listing, failure.Msg)
	if file == nil {
		return "", "", false
	}
	place, format := sqlq.Quote(file.Name)+": ", listing.Table.Files.Format
	unreadable := failure.Type == duckdb.ErrorTypeIO || failure.Type == duckdb.ErrorTypePermission
	if mistake := inspect.File(file.Path, format, listing.Table.Files.Separator); mistake != "" && (format != tables.Parquet || !isOtherSchema(failure)) {
		return tablefiles.Damaged, place + mistake, format != tables.Parquet
	}
	switch {
	case strings.Contains(failure.Msg, "maximum_object_size"):
		return tablefiles.Damaged, place + "one of its objects is longer than 16 MiB, the limit of JSON", true
	case isOtherSchema(failure):
		return tablefiles.Columns, place + "it does not have the columns of the table", false
	case unreadable:
		return tablefiles.Unreadable, place + "it cannot be opened or read", false
	case failure.Type == duckdb.ErrorTypeConversion || strings.Contains(failure.Msg, "transform error"):
		return tablefiles.Value, place + "a value does not have the type of its column", false
	}
	if mistake := wrongLine(failure.Msg); mistake != "" { // beyond what is read again
		return tablefiles.Damaged, place + mistake, true
	}
	return tablefiles.Damaged, place + fmt.Sprintf("it is not a complete %s file", strings.ToUpper(format)), false
}

// wrongLine returns that a line of CSV has another number of values than the header, if DuckDB's message is about that.
func wrongLine(message string) string {
	parts := regexp.MustCompile(`CSV Error on Line: ([0-9]+)\n(?s:.*)Expected Number of Columns: ([0-9]+) Found: ([0-9]+)`).FindStringSubmatch(message)
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("line %s has %s values, and the header %s", parts[1], parts[3], parts[2])
}

// isOtherSchema reports whether a file does not have the columns of the first one.
func isOtherSchema(failure *duckdb.Error) bool {
	return strings.Contains(strings.ToLower(failure.Msg), "schema mismatch") || strings.Contains(failure.Msg, "do not exist")
}

// lacking returns the column of a CSV table that a file does not have, according to a message without a file.
func lacking(listing *tablefiles.Listing, message string) string {
	_, names, found := strings.Cut(message, "COLUMN_TYPES error: Columns with names: ")
	names, _, _ = strings.Cut(names, " do not exist")
	for _, column := range listing.Table.Files.Columns {
		if found && listing.Table.Files.Format == tables.CSV && strings.Contains(names, `"`+column.Name+`"`) {
			return column.Name
		}
	}
	return ""
}

// blamed returns the file that a message names first; nil if it names none. One name can begin with another. The
// end of a message is the SQL, which names all files.
func blamed(listing *tablefiles.Listing, message string) *tablefiles.File {
	message, _, _ = strings.Cut(message, "\n\nLINE ")
	if _, other, found := strings.Cut(message, "\nCurrent file: "); found { // after the first file, whose columns it lacks
		message = other
	}
	var first *tablefiles.File
	firstAt := len(message)
	for i := range listing.Files {
		file := &listing.Files[i]
		at := strings.Index(message, file.Path)
		if at >= 0 && (at < firstAt || at == firstAt && len(file.Path) > len(first.Path)) {
			first, firstAt = file, at
		}
	}
	return first
}
