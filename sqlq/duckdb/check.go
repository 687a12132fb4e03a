package duckdb

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/internal/text/duckjson"
	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// Check parses a saved query, compiles it against the tables of the store, with each
// optional parameter present and absent, and compares its columns with the
// declared ones, if there are any. A parameter without a type gets one that the SQL needs. It
// reads no table. The error is [sqlq.FileErrors] if the saved query is at fault.
//
// DuckDB evaluates constant expressions while it compiles, without a limit on time or memory,
// and a context that ends does not stop it.
func (e *Engine) Check(ctx context.Context, query *sqlq.SavedQuery) (_ *sqlq.Plan, err error) {
	mistakes, err := e.notAllowed(ctx, query)
	if err != nil {
		return nil, err
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	// The SQL must be a statement on its own: what follows puts it in brackets.
	prepared, err := e.db.PrepareContext(ctx, query.SQL)
	if err != nil {
		return nil, e.withTables(ctx, compileError(query, sqltext.Rewrite(query.SQL), 0, err))
	}
	defer func() { err = errors.Join(err, prepared.Close()) }()
	plan := &sqlq.Plan{}
	if slices.ContainsFunc(query.Params, func(param sqlq.Param) bool { return param.Type == "" }) {
		if query, plan.Params, err = e.inferParams(ctx, query); err != nil {
			return nil, err
		}
	}
	columns, err := e.columns(ctx, query)
	if err != nil {
		return nil, e.withTables(ctx, err)
	}
	for _, column := range columns {
		plan.Columns = append(plan.Columns, plannedColumn(column.Name(), duckjson.ParseType(column.DatabaseTypeName())))
	}
	if mistakes := plan.Compare(query, holds); len(mistakes) > 0 {
		return plan, mistakes
	}
	return plan, nil
}

// withTables adds to the error about an unknown table the one that was most likely meant, or all tables. DuckDB's own
// suggestion can be a table of its own.
func (e *Engine) withTables(ctx context.Context, err error) error {
	var mistakes sqlq.FileErrors
	if !errors.As(err, &mistakes) {
		return err
	}
	unknown := regexp.MustCompile(`^(?:Catalog Error: )?Table with name (.*?) does not exist!`).FindStringSubmatch(mistakes[0].Message)
	if unknown == nil {
		return err
	}
	var tables string // of logs, not those that the store keeps for itself
	const query = "SELECT string_agg(table_name, ', ' ORDER BY table_name) FROM information_schema.columns WHERE table_schema = 'main' AND column_name = 'timestamp' AND NOT contains(table_name, '#')"
	if err := e.db.QueryRowContext(ctx, query).Scan(&tables); err != nil {
		return err
	}
	mistakes[0].Message = unknown[0] + " The tables are " + tables + "."
	if closest := sqlq.ClosestName(unknown[1], strings.Split(tables, ", ")); closest != "" {
		mistakes[0].Message = unknown[0] + " Did you mean " + closest + "?"
	}
	return err
}

// plannedColumn returns a column of a type.
func plannedColumn(name string, of *duckjson.Type) sqlq.PlannedColumn {
	column := sqlq.PlannedColumn{Name: name, Type: of.Text, Big: isBig(of.Text)}
	switch of.Name {
	case "LIST":
		element := plannedColumn("", of.Element)
		column.Element = &element
	case "STRUCT":
		for _, field := range of.Fields {
			column.Fields = append(column.Fields, plannedColumn(field.Name, field.Type))
		}
	}
	return column
}

// isBig reports whether a type has numbers with more digits than a NUMERIC has on every engine.
func isBig(actual string) bool {
	var precision, scale int
	if _, err := fmt.Sscanf(actual, "DECIMAL(%d,%d)", &precision, &scale); err == nil {
		return sqlq.ExceedsNumeric(precision-scale, scale)
	}
	return actual == "HUGEINT" || actual == "UHUGEINT" || actual == "BIGNUM"
}

// holds reports whether a declared type, neither an array nor a struct, can hold DuckDB's
// type without loss. A JSON value in an array or a struct must be JSON already: the engine
// does not convert what is in nested values.
func holds(declared sqlq.Type, column sqlq.PlannedColumn, nested bool) bool {
	actual, _, _ := strings.Cut(column.Type, "(") // DECIMAL(18,3)
	if nested && declared == sqlq.JSON {
		return actual == "JSON" || actual == "VARCHAR"
	}
	isInteger := strings.HasSuffix(actual, "INT") || strings.HasSuffix(actual, "INTEGER")
	switch declared { //nolint:exhaustive // The others are nested.
	case sqlq.Int64:
		return isInteger
	case sqlq.Float64:
		return isInteger || actual == "DOUBLE" || actual == "FLOAT" || actual == "DECIMAL"
	case sqlq.Numeric:
		return isInteger || hasMoreDigits(actual)
	case sqlq.String:
		return actual == "VARCHAR" || actual == "UUID" || actual == "ENUM" || actual == "JSON" || hasMoreDigits(actual)
	case sqlq.Bool:
		return actual == "BOOLEAN"
	case sqlq.Timestamp:
		return strings.HasPrefix(actual, "TIMESTAMP")
	case sqlq.Datetime:
		return strings.HasPrefix(actual, "TIMESTAMP") && actual != "TIMESTAMPTZ"
	case sqlq.Date:
		return actual == "DATE"
	case sqlq.JSON:
		return true
	}
	return false
}

// inGoogleSQL returns DuckDB's message about a mistake that the translation does not find, for the author of the
// GoogleSQL: its first line, without the kind of the error. The other lines list candidates of DuckDB.
func inGoogleSQL(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	if _, said, found := strings.Cut(message, " Error: "); found {
		message = said
	}
	if ungrouped := ungroupedColumn.FindStringSubmatch(message); ungrouped != nil {
		return neitherGrouped(ungrouped[1])
	}
	return message
}

// ungroupedColumn matches DuckDB's message about a column that a grouped SELECT cannot read.
var ungroupedColumn = regexp.MustCompile(`column "?(.*?)"? must appear in the GROUP BY clause`)

// neitherGrouped returns the message about a column that a grouped SELECT cannot read.
func neitherGrouped(column string) string {
	return column + " is neither grouped nor in an aggregate; add it to GROUP BY, or write ANY_VALUE(…) for any one of its values"
}

// compileError returns DuckDB's message about a mistake in the SQL, which had some lines in
// front of it, with its place in the file.
func compileError(query *sqlq.SavedQuery, text sqltext.Rewritten, linesBefore int, err error) error {
	var failure *duckdb.Error
	if !errors.As(err, &failure) {
		return fmt.Errorf("check %s: %w", query.Name, err)
	}
	message, excerpt, _ := strings.Cut(failure.Msg, "\n\nLINE ")
	mistake := &sqlq.FileError{File: query.SQLFile, Message: strings.Join(strings.Fields(message), " ")}
	if query.Translation != nil {
		mistake.Message = inGoogleSQL(message)
	}
	if place := regexp.MustCompile(`^(\d+): (.*)\n( *)\^`).FindStringSubmatch(excerpt); place != nil {
		line, _ := strconv.Atoi(place[1])
		column := len(place[3]) - len("LINE "+place[1]+": ") + 1
		if shown, isCut := strings.CutPrefix(place[2], "..."); isCut {
			column = columnIn(text.Text, line-linesBefore, strings.TrimSuffix(shown, "..."), column-len("..."))
		}
		isKnown := column > 0
		line, column = text.OriginalPlace(line-linesBefore, max(column, 1))
		if !isKnown {
			column = 0
		}
		found := query.PlaceInSQL(line, column)
		mistake.Line, mistake.Column = found.Line, found.Column
	}
	return sqlq.FileErrors{mistake}
}

// columnIn returns the column of a byte in a part of a line, both counted from 1; zero unless the line has the part
// exactly once. DuckDB shows a part of a long line.
func columnIn(text string, line int, part string, column int) int {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) || strings.Count(lines[line-1], part) != 1 {
		return 0
	}
	return strings.Index(lines[line-1], part) + column
}

// Declare returns the declared type for a column of the SQL, which [Engine.Check] then
// accepts. Whatever has no type of its own is JSON, with all that it is nested in.
func Declare(column sqlq.PlannedColumn) sqlq.Column {
	return sqlq.DeclareColumn(column, scalarOf, holds)
}

// scalarOf returns the declared type for a type of DuckDB that is not nested.
func scalarOf(actual string) sqlq.Type {
	actual, _, _ = strings.Cut(actual, "(") // DECIMAL(18,3)
	switch {
	case hasMoreDigits(actual) || actual == "HUGEINT": // the type of sum()
		return sqlq.Numeric
	case strings.HasSuffix(actual, "INT") || strings.HasSuffix(actual, "INTEGER"):
		return sqlq.Int64
	case actual == "DOUBLE" || actual == "FLOAT":
		return sqlq.Float64
	case actual == "VARCHAR" || actual == "UUID" || actual == "ENUM":
		return sqlq.String
	case actual == "BOOLEAN":
		return sqlq.Bool
	case strings.HasPrefix(actual, "TIMESTAMP"):
		return sqlq.Timestamp
	case actual == "DATE":
		return sqlq.Date
	}
	return sqlq.JSON
}

// hasMoreDigits reports whether a type has numbers that of the declared types only NUMERIC and
// STRING hold exactly. HUGEINT is not among them: a number beyond 64 bits is an error in an INT64.
func hasMoreDigits(actual string) bool {
	return actual == "DECIMAL" || actual == "UBIGINT" || actual == "UHUGEINT" || actual == "BIGNUM"
}
