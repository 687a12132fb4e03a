package duckdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
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
		if reason := explainListing(listing, failure); reason != "" {
			return tablefiles.Errorf(listing.Table, "%s", reason).WithCause(err)
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

// explainListing returns what is wrong with the files of a table; empty if DuckDB's message is about none of them.
func explainListing(listing *tablefiles.Listing, failure *duckdb.Error) string {
	if column := lacking(listing, failure.Msg); column != "" {
		return "a file has no column " + column
	}
	if column := wrongPartition(listing, failure); column != "" {
		return "a directory has a " + column + " of another type"
	}
	place, file := "a file", blamed(listing, failure.Msg)
	switch {
	case file != nil:
		place = sqlq.Quote(file.Name)
	case !strings.Contains(failure.Msg, wrongText(listing.Table)):
		return ""
	}
	if line := regexp.MustCompile(`(?:on Line: |in line )(\d+)`).FindStringSubmatch(failure.Msg); line != nil {
		place += ", line " + line[1]
	}
	if column := regexp.MustCompile(`(?:column|Column with name:) "([^"]+)"`).FindStringSubmatch(failure.Msg); column != nil {
		place += ", column " + column[1]
	}
	return place + ": " + reasonOf(failure, listing.Table)
}

// wrongPartition returns the column that the name of a directory has in another type; empty if that is not why a run failed.
func wrongPartition(listing *tablefiles.Listing, failure *duckdb.Error) string {
	if failure.Type != duckdb.ErrorTypeConversion {
		return ""
	}
	partitions := listing.Partitions()
	for _, column := range listing.Table.Files.Columns {
		converted := column.Type != sqlq.String && slices.ContainsFunc(partitions, isNamed(column.Name))
		if converted && strings.Contains(failure.Msg, "casting from source column "+column.Name+"\n") {
			return column.Name
		}
	}
	return ""
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

// reasonOf returns what is wrong with a file, with the value that a [fromText] names. DuckDB's readers name a line.
func reasonOf(failure *duckdb.Error, table *sqlq.Table) string {
	_, text, named := strings.Cut(failure.Msg, `", value `)
	var value string
	switch {
	case named && json.Unmarshal([]byte(text), &value) == nil:
		return "the value " + sqlq.Quote(value) + " does not have the type of its column"
	case failure.Type == duckdb.ErrorTypeIO || failure.Type == duckdb.ErrorTypePermission:
		return "it cannot be opened or read"
	case failure.Type == duckdb.ErrorTypeConversion || strings.Contains(failure.Msg, "transform error"):
		return "a value does not have the type of its column"
	case strings.Contains(strings.ToLower(failure.Msg), "schema mismatch") || strings.Contains(failure.Msg, "do not exist"):
		return "it does not have the columns of the table"
	}
	return fmt.Sprintf("it is not a complete %s file", strings.ToUpper(table.Files.Format))
}
