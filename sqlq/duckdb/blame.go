package duckdb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqltext"
	"savedq/sqlq/sqltree"
)

const (
	// blameTimeout bounds the search for the argument at fault, including the
	// wait for other searches.
	blameTimeout = time.Second
	// mostQuoted limits how many of the arguments that the error quotes are tried.
	mostQuoted = 3
)

// blameArguments returns the error of the argument that made a statement fail, or nil if
// that is not proven: data that happens to equal an argument is not the caller's fault.
// It runs only after failures, one search at a time and for a limited time, so that many
// failures cost other queries little.
func (e *Engine) blameArguments(ctx context.Context, statement sqlq.Statement, err error) *sqlq.Error {
	if len(statement.Args) == 0 || !hasType(err, valueTypes()) {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, blameTimeout)
	defer stop()
	select {
	case e.blaming <- struct{}{}:
		defer func() { <-e.blaming }()
	case <-ctx.Done():
		return nil
	}
	if mistake := e.blameWithoutData(ctx, statement); mistake != nil {
		return mistake
	}
	return e.blameQuoted(ctx, statement, err)
}

// blameWithoutData blames arguments with which the statement fails even though its tables
// hold no data.
func (e *Engine) blameWithoutData(ctx context.Context, statement sqlq.Statement) *sqlq.Error {
	tables, hidden := e.emptyTables(ctx, statement.Query.SQL)
	if !hidden {
		return nil
	}
	// Zero is not suitable: LIMIT 0 hides the failures of others.
	neutral := [][]sqlq.Arg{argsOf(statement.Query, oneValue), argsOf(statement.Query, nullValue)}
	return statement.BlameArguments(neutral, func(probed sqlq.Statement) sqlq.Probe {
		switch err := e.drain(ctx, probed, tables); {
		case err == nil:
			return sqlq.ProbeWorks
		case hasType(err, valueTypes()):
			return sqlq.ProbeFails
		}
		return sqlq.ProbeUndecided
	})
}

// oneValue is a one of the parameter's type, where [sampleValue] is zero or empty.
func oneValue(param sqlq.Param) any {
	if param.Type.IsArray() {
		param.Type = param.Type.Element()
		return []any{oneValue(param)}
	}
	switch param.Type { //nolint:exhaustive // The others have no other value.
	case sqlq.Int64:
		return int64(1)
	case sqlq.Float64:
		return 1.0
	case sqlq.String:
		return "1"
	}
	return sampleValue(param)
}

func nullValue(sqlq.Param) any { return nil }

// emptyTables returns the change that hides the tables of a query behind ones of the same
// columns that hold one row of NULLs. Without any row DuckDB would not evaluate expressions, and NULL
// is data that no expression fails to convert. It reports whether all of them are hidden, which is
// impossible for a qualified name.
func (e *Engine) emptyTables(ctx context.Context, query string) (_ sqltext.Change, hidden bool) {
	tree, err := sqltree.Parse(ctx, e.db, query)
	if err != nil {
		return sqltext.Change{}, false
	}
	names := sqltree.Unqualified(tree)
	empty := make([]string, len(names))
	for i, name := range names {
		empty[i] = fmt.Sprintf(`"%s" AS (SELECT nothing.* FROM (SELECT 1) LEFT JOIN (FROM main."%s" LIMIT 0) AS nothing ON true)`, name, name)
	}
	isQualified := func(table sqltree.Node) bool { return table.Text("schema_name") != "" }
	if len(names) == 0 {
		return sqltext.Change{}, !slices.ContainsFunc(sqltree.Tables(tree), isQualified)
	}
	return sqltext.HideTables(duckdbsql.Dialect{}, query, empty...), !slices.ContainsFunc(sqltree.Tables(tree), isQualified)
}

// blameQuoted blames an argument that the error quotes, if the error of the same
// statement with another value there quotes that value. An error about data that equals
// the argument does not.
func (e *Engine) blameQuoted(ctx context.Context, statement sqlq.Statement, err error) *sqlq.Error {
	var failure *duckdb.Error
	if !errors.As(err, &failure) {
		return nil
	}
	tried := 0
	for i, arg := range statement.Args {
		marked, ok := markedValue(arg.Value)
		if !ok || len(statement.Query.Params[i].Allowed) > 0 || !quotes(failure.Msg, arg.Value) {
			continue
		}
		if tried++; tried > mostQuoted {
			return nil
		}
		args := append([]sqlq.Arg(nil), statement.Args...)
		args[i].Value = marked
		changed := sqlq.Statement{Query: statement.Query, Args: args, Now: statement.Now, Range: statement.Range}
		var failed *duckdb.Error
		if errors.As(e.drain(ctx, changed, bounded(statement.Query)), &failed) && hasType(failed, valueTypes()) && quotes(failed.Msg, marked) {
			return sqlq.UnusableArgument(arg.Name)
		}
	}
	return nil
}

// markedValue returns a value that data is unlikely to hold and that is no more useful
// than the one it is made from: a longer text, or an integer farther from zero.
func markedValue(value any) (marked any, ok bool) {
	const mark, distance = "~savedq~", 1_000_000_007
	switch value := value.(type) {
	case string:
		return value + mark, value != ""
	case int64:
		if value > math.MaxInt64-distance || value < math.MinInt64+distance {
			return nil, false
		}
		if value < 0 {
			return value - distance, true
		}
		return value + distance, true
	}
	return nil, false
}

// quotes reports whether a message of DuckDB quotes a value.
func quotes(message string, value any) bool {
	switch value := value.(type) {
	case string:
		return strings.Contains(message, "'"+value+"'") || strings.Contains(message, `"`+value+`"`) || strings.HasSuffix(message, ": "+value)
	case int64:
		return regexp.MustCompile(`(^|[^0-9])` + strconv.FormatInt(value, 10) + `($|[^0-9])`).MatchString(message)
	}
	return false
}

// drain runs a statement with a change that hides its tables, and drops its rows. As
// [Engine.query] does, it takes the first form of the SQL that compiles.
func (e *Engine) drain(ctx context.Context, statement sqlq.Statement, tables sqltext.Change) (err error) {
	for _, text := range sqlTexts(statement.Query, statement.Args, tables) {
		if err = e.drainText(ctx, cappedSQL(statement.Query, text), statement); !isBinderError(err) {
			break
		}
	}
	return err
}

func (e *Engine) drainText(ctx context.Context, query string, statement sqlq.Statement) (err error) {
	rows, err := e.db.QueryContext(ctx, query, bindings(statement)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() { // Only the error matters.
	}
	return rows.Err()
}
