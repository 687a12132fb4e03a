package duckdb

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/tablefiles"
)

// explain returns the error about the files of a table that made a run fail, or the error itself. The code is
// INTERNAL: the query alone has failed, and its caller cannot correct it. The message has no path but that below
// the directory of the table.
func (s scans) explain(err error) error {
	var failure *duckdb.Error
	if !errors.As(err, &failure) {
		return err
	}
	if failure.Type == duckdb.ErrorTypeCatalog {
		for _, failed := range s.failures {
			if strings.Contains(strings.ToLower(failure.Msg), "table with name "+strings.ToLower(failed.table.Name)+" does not exist") {
				return failed.err
			}
		}
	}
	for _, listing := range s.all {
		if explained := explainFile(listing, failure); explained != nil {
			return explained.WithCause(err)
		}
	}
	return err
}

// explainFile returns the error about the files of a table; nil if DuckDB's message names none of them.
func explainFile(listing *tablefiles.Listing, failure *duckdb.Error) *sqlq.Error {
	file := blamed(listing, failure.Msg)
	if file == nil {
		return nil
	}
	place := sqlq.Quote(file.Name)
	if line := regexp.MustCompile(`(?:on Line: |in line )(\d+)`).FindStringSubmatch(failure.Msg); line != nil {
		place += ", line " + line[1]
	}
	if column := regexp.MustCompile(`column "([^"]+)"`).FindStringSubmatch(failure.Msg); column != nil {
		place += ", column " + column[1]
	}
	return tableError(listing.Table, "%s: %s", place, reasonOf(failure, listing.Table))
}

// blamed returns the file that a message names; nil if it names none. One name can begin with another.
func blamed(listing *tablefiles.Listing, message string) *tablefiles.File {
	var longest *tablefiles.File
	for i := range listing.Files {
		file := &listing.Files[i]
		if strings.Contains(message, file.Path) && (longest == nil || len(file.Path) > len(longest.Path)) {
			longest = file
		}
	}
	return longest
}

// reasonOf returns what is wrong with a file, without its values.
func reasonOf(failure *duckdb.Error, table *sqlq.Table) string {
	switch {
	case failure.Type == duckdb.ErrorTypeIO || failure.Type == duckdb.ErrorTypePermission:
		return "it cannot be opened or read"
	case failure.Type == duckdb.ErrorTypeConversion || strings.Contains(failure.Msg, "transform error"):
		return "a value does not have the type of its column"
	case strings.Contains(failure.Msg, "schema mismatch") || strings.Contains(failure.Msg, "do not exist"):
		return "it does not have the columns of the table"
	}
	return fmt.Sprintf("it is not a complete %s file", strings.ToUpper(table.Files.Format))
}

// tableError is the error of a table whose files cannot be read.
func tableError(table *sqlq.Table, format string, args ...any) *sqlq.Error {
	return sqlq.Errorf(sqlq.Internal, "the files of the table %s cannot be read: %s", table.Name, fmt.Sprintf(format, args...))
}
