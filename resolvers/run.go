package resolvers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/graph"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// rawJSON is the encoded JSON of a field's value.
type rawJSON []byte

// MarshalGQL writes the value. A write error means that the client disconnected.
func (j rawJSON) MarshalGQL(w io.Writer) { _, _ = w.Write(j) }

// run runs the saved query of a field, and returns the selected objects: nil if errors that it
// has added leave none.
func (s *executableSchema) run(ctx context.Context, operation *graphql.OperationContext, selected graphql.CollectedField) (rawJSON, error) {
	field, responses, values := s.schema.Field(selected.Name), responsesOf(ctx), selected.ArgumentMap(operation.Variables)
	if name := field.NullArgument(values); name != "" {
		// The same path as gqlgen's own errors about arguments.
		return nil, gqlerror.ErrorPathf(append(graphql.GetPath(ctx), ast.PathName(name)), "must not be null")
	}
	request := runner.Request{Query: field.Query, Params: field.Parameters(values), NoCache: responses.NoCache}
	encode := encodeRows
	if field.IsSandbox {
		if request.SQL = strings.TrimSpace(strings.Join(request.Params[sqlq.SQLParam], "")); request.SQL == "" {
			return nil, sqlq.ParamErrorf(sqlq.SQLParam, "must not be empty")
		}
		delete(request.Params, sqlq.SQLParam)
		encode = encodeSandboxed
	}
	response, err := s.runner.Run(ctx, request)
	if err != nil {
		responses.addFailure(err)
		return nil, withArgument(field, err)
	}
	rows, faults, err := encode(operation, response.Result, field, selected)
	if err != nil {
		return nil, fmt.Errorf("read the rows of %s: %w", field.Query.Name, err) // INTERNAL
	}
	for _, fault := range faults {
		graphql.AddError(ctx, rowsError(ctx, field, fault))
	}
	if rows == nil {
		return nil, nil // the errors are added
	}
	responses.add(selected.Alias, response)
	return rows, nil
}

// withArgument returns the error with the field's name for the faulty argument.
func withArgument(field *graph.Field, err error) error {
	failure := *sqlq.AsError(err)
	failure.Param = field.ArgumentOf(failure.Param)
	return &failure
}

// rowsError returns the error about one value of the rows, with its path and location.
func rowsError(ctx context.Context, field *graph.Field, fault *valueError) error {
	path := append(graphql.GetPath(ctx), fault.path...)
	position := fault.field.Position
	err := fmt.Errorf("read the rows of %s: %w", field.Query.Name, fault)
	return &gqlerror.Error{Err: err, Message: err.Error(), Path: path, Locations: []gqlerror.Location{{Line: position.Line, Column: position.Column}}}
}

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
