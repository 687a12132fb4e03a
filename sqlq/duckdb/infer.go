package duckdb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqltext"
)

// inferParams returns the saved query with a type for each parameter that has none, and those
// parameters. DuckDB reports the type of a parameter only when it knows the types of all others,
// too. So parameters whose type it does not know get one after the other the first type
// that compiles.
func (e *Engine) inferParams(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.SavedQuery, []sqlq.PlannedParam, error) {
	inferred := *query
	inferred.Params = append([]sqlq.Param(nil), query.Params...)
	query = withoutNullTests(query)
	texts := make(map[string]string)
	for _, param := range query.Params {
		if param.Type != "" {
			texts[param.Name] = typedNull(param.Type)
		}
	}
	var planned []sqlq.PlannedParam
	for i := range inferred.Params {
		param := &inferred.Params[i]
		if param.Type != "" {
			continue
		}
		told, err := e.toldTypes(ctx, replaceParams(query, texts, nil, scans{}.bounded(query)))
		if _, rejected := errors.AsType[*duckdb.Error](err); err != nil && !rejected {
			return nil, nil, fmt.Errorf("check %s: %w", query.Name, err)
		}
		found := told[param.Name]
		if found.Type == "" {
			found.Type, found.Guessed = e.firstThatCompiles(ctx, query, texts, param.Name), true
		}
		found.Name = param.Name
		planned = append(planned, found)
		param.Type = found.Type
		texts[param.Name] = typedNull(param.Type)
	}
	return &inferred, planned, nil
}

// withoutNullTests returns the saved query with NULL in the place of $p in "$p IS NULL", from
// which DuckDB learns nothing about the type of $p, nor about that of any other parameter.
func withoutNullTests(query *sqlq.SavedQuery) *sqlq.SavedQuery {
	without, done := *query, 0
	without.SQL = ""
	test := regexp.MustCompile(`(?i)^\s+IS\s+(NOT\s+)?NULL\b`)
	for _, use := range sqltext.Params(duckdbsql.Dialect{}, query.SQL) {
		if test.MatchString(query.SQL[use.End:]) {
			without.SQL += query.SQL[done:use.Start] + "NULL"
			done = use.End
		}
	}
	without.SQL += query.SQL[done:]
	return &without
}

// firstThatCompiles returns the first type of a parameter with which the SQL compiles.
func (e *Engine) firstThatCompiles(ctx context.Context, query *sqlq.SavedQuery, texts map[string]string, name string) sqlq.Type {
	defer delete(texts, name)
	for _, candidate := range sqlq.AllParamTypes() {
		texts[name] = typedNull(candidate)
		if _, err := e.toldTypes(ctx, replaceParams(query, texts, nil, scans{}.bounded(query))); err == nil {
			return candidate
		}
	}
	return sqlq.String
}

// typedNull is a NULL of a parameter's type, or an array without elements: DuckDB does not compare
// the type of a NULL array with the type of other arguments.
func typedNull(paramType sqlq.Type) string {
	if paramType.IsArray() {
		return "CAST([] AS " + duckdbsql.StorageType(paramType.Element()) + "[])"
	}
	return "CAST(NULL AS " + duckdbsql.StorageType(paramType) + ")"
}

// toldTypes returns the types of the parameters of a SQL text, as far as DuckDB reports them.
func (e *Engine) toldTypes(ctx context.Context, text sqltext.Rewritten) (told map[string]sqlq.PlannedParam, err error) {
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	told = make(map[string]sqlq.PlannedParam)
	err = prepareOn(ctx, conn, text.Text, func(_ any, prepared driver.Stmt) error {
		typed, ok := prepared.(interface {
			ParamName(n int) (string, error)
			ParamType(n int) (duckdb.Type, error)
		})
		if !ok {
			return fmt.Errorf("a statement of type %T has no types of parameters", prepared)
		}
		for i := 1; i <= prepared.NumInput(); i++ {
			name, err := typed.ParamName(i)
			if err != nil {
				return err
			}
			paramType, err := typed.ParamType(i)
			if err != nil {
				return err
			}
			param := sqlq.PlannedParam{Type: paramTypeOf(paramType)}
			if paramType == duckdb.TYPE_UHUGEINT { // and not HUGEINT, which is the type of sum(): sums are small
				param.MoreDigits = "UHUGEINT"
			}
			told[name] = param
		}
		return nil
	})
	return told, err
}

// paramTypeOf returns the type of a parameter to which DuckDB gives a type; empty if it gives
// none.
func paramTypeOf(told duckdb.Type) sqlq.Type {
	switch told {
	case duckdb.TYPE_VARCHAR, duckdb.TYPE_UUID, duckdb.TYPE_ENUM:
		return sqlq.String
	case duckdb.TYPE_TINYINT, duckdb.TYPE_SMALLINT, duckdb.TYPE_INTEGER, duckdb.TYPE_BIGINT,
		duckdb.TYPE_UTINYINT, duckdb.TYPE_USMALLINT, duckdb.TYPE_UINTEGER:
		return sqlq.Int64
	case duckdb.TYPE_DECIMAL, duckdb.TYPE_HUGEINT, duckdb.TYPE_UBIGINT, duckdb.TYPE_UHUGEINT:
		return sqlq.Numeric
	case duckdb.TYPE_FLOAT, duckdb.TYPE_DOUBLE:
		return sqlq.Float64
	case duckdb.TYPE_BOOLEAN:
		return sqlq.Bool
	case duckdb.TYPE_TIMESTAMP, duckdb.TYPE_TIMESTAMP_S, duckdb.TYPE_TIMESTAMP_MS, duckdb.TYPE_TIMESTAMP_NS, duckdb.TYPE_TIMESTAMP_TZ:
		return sqlq.Timestamp
	case duckdb.TYPE_DATE:
		return sqlq.Date
	}
	return ""
}
