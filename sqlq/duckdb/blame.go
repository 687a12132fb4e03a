package duckdb

import (
	"context"
	"database/sql"
	"slices"

	"savedq/sqlq"
	"savedq/sqlq/sqltree"
)

// blameArguments returns the error of the arguments that made a statement fail, or nil if that is not
// proven (D33). The proof is a part of the SQL that reads parameters and no data, and that fails on its
// own, too.
func (e *Engine) blameArguments(ctx context.Context, statement sqlq.Statement, err error) (mistake *sqlq.Error) {
	if !hasType(err, valueTypes()...) {
		return nil
	}
	tree, err := sqltree.Parse(ctx, e.db, sqlTexts(statement.Query, statement.Args, scans{}.bounded(statement.Query))[0].Text)
	if err != nil {
		return nil
	}
	try := func(before string, expression sqltree.Node) {
		params := paramsAlone(expression)
		if mistake == nil && len(params) > 0 && e.fails(ctx, statement, before, expression, params) {
			mistake = unusable(statement.Query, params)
		}
	}
	tree.Walk(func(node sqltree.Node) bool {
		switch node.Type() {
		case "LIMIT_MODIFIER":
			try("SELECT 1 LIMIT ", node.Child("limit"))
			try("SELECT 1 LIMIT ", node.Child("offset"))
		case "TABLE_FUNCTION":
			try("SELECT 1 FROM ", node.Child("function"))
		default:
			try("SELECT ", node)
		}
		return mistake == nil
	})
	return mistake
}

// paramsAlone returns the names of the parameters that an expression reads; none if it also reads data.
func paramsAlone(expression sqltree.Node) (names []string) {
	readsData := expression.Class() == "" // not an expression
	expression.Walk(func(part sqltree.Node) bool {
		switch part.Class() {
		case "COLUMN_REF", "POSITIONAL_REFERENCE", "STAR", "SUBQUERY", "WINDOW":
			readsData = true
		case "PARAMETER":
			names = append(names, part.Text("identifier"))
		}
		return !readsData
	})
	if readsData {
		return nil
	}
	return names
}

// fails reports whether an expression cannot use the values of the parameters that it reads.
func (e *Engine) fails(ctx context.Context, statement sqlq.Statement, before string, expression sqltree.Node, params []string) bool {
	text, err := sqltree.Print(ctx, e.db, expression)
	if err != nil {
		return false
	}
	args := slices.DeleteFunc(bindings(statement), func(arg any) bool {
		named, ok := arg.(sql.NamedArg)
		return ok && !slices.Contains(params, named.Name)
	})
	var value any
	return hasType(e.db.QueryRowContext(ctx, before+text, args...).Scan(&value), valueTypes()...)
}

// unusable returns the error of values that passed validation, but that the SQL cannot use. A
// value that query.yaml allows is not the caller's mistake.
func unusable(query *sqlq.SavedQuery, params []string) *sqlq.Error {
	var free []string
	for _, param := range query.Params {
		if slices.Contains(params, param.Name) && len(param.Allowed) == 0 {
			free = append(free, param.Name)
		}
	}
	switch len(free) {
	case 0:
		return nil
	case 1:
		return sqlq.ParamErrorf(free[0], "the query cannot use this value; see the description of the parameter")
	}
	return sqlq.Errorf(sqlq.InvalidArgument, "the query cannot use these values together; see the descriptions of its parameters")
}
