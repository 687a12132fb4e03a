package functions

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/duckdb/duckdb-go/v2"
)

// rowFunction is a function of several values of a row. NULL is NULL.
type rowFunction struct {
	name   string
	params []duckdb.Type
	result duckdb.Type
	of     func(args []driver.Value) (any, error)
}

// register adds the function to DuckDB. Its errors are for callers.
func (f rowFunction) register(conn *sql.Conn) error {
	var config duckdb.ScalarFuncConfig
	for _, param := range f.params {
		info, err := duckdb.NewTypeInfo(param)
		if err != nil {
			return err
		}
		config.InputTypeInfos = append(config.InputTypeInfos, info)
	}
	var err error
	if config.ResultTypeInfo, err = duckdb.NewTypeInfo(f.result); err != nil {
		return err
	}
	if err := duckdb.RegisterScalarUDF(conn, f.name, &registeredRow{config, f.of}); err != nil {
		return fmt.Errorf("add the function %s to DuckDB: %w", f.name, err)
	}
	return nil
}

type registeredRow struct {
	config duckdb.ScalarFuncConfig
	of     func(args []driver.Value) (any, error)
}

func (r *registeredRow) Config() duckdb.ScalarFuncConfig { return r.config }

func (r *registeredRow) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(args []driver.Value) (any, error) {
		result, err := r.of(args)
		if err != nil {
			return nil, fmt.Errorf("%s%w", raisedPrefix, err)
		}
		return result, nil
	}}
}

// errArguments is the error of values of other types than the parameters, which DuckDB does not pass.
var errArguments = errors.New("a function has arguments of other types than its parameters")

// ofTexts returns a function of as many texts.
func ofTexts(name string, count int, result duckdb.Type, of func(texts []string) (any, error)) rowFunction {
	params := make([]duckdb.Type, count)
	for i := range params {
		params[i] = duckdb.TYPE_VARCHAR
	}
	return rowFunction{name, params, result, func(args []driver.Value) (any, error) {
		texts := make([]string, len(args))
		for i, arg := range args {
			text, isText := arg.(string)
			if !isText {
				return nil, errArguments
			}
			texts[i] = text
		}
		return of(texts)
	}}
}
