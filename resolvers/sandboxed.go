package resolvers

import (
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"

	"savedq/graph"
	"savedq/sqlq"
)

// encodeSandboxed returns the object of a field for callers' SQL (D40), as [encodeRows] returns its rows.
func encodeSandboxed(operation *graphql.OperationContext, result *sqlq.Result, field *graph.Field, selected graphql.CollectedField) (encoded []byte, faults []*valueError, err error) {
	object := sandboxed(result)
	for i := range field.Columns {
		object.Columns = append(object.Columns, *field.Columns[i].Column)
	}
	list, faults, err := encodeRows(operation, object, field, selected)
	if list == nil {
		return nil, faults, err
	}
	return list[1 : len(list)-1], faults, err
}

// sandboxed returns a result as one row with the columns, the rows as objects, and whether there are more.
func sandboxed(result *sqlq.Result) *sqlq.Result {
	columns := make([]any, len(result.Columns))
	for i, column := range result.Columns {
		columns[i] = []any{column.Name, string(column.Type)}
	}
	object := sqlq.Column{Type: sqlq.Struct, Fields: result.Columns}
	rows := make([]any, len(result.Rows))
	for i, row := range result.Rows {
		rows[i] = json.RawMessage(object.AppendJSON(nil, row))
	}
	return &sqlq.Result{Rows: [][]any{{columns, rows, result.Truncated}}}
}
