package resolvers

import (
	"context"
	"errors"
	"fmt"
	"io"

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

// run runs the saved query of a field, and returns the selected objects.
func (s *executableSchema) run(ctx context.Context, operation *graphql.OperationContext, selected graphql.CollectedField) (rawJSON, error) {
	field, responses, values := s.schema.Field(selected.Name), responsesOf(ctx), selected.ArgumentMap(operation.Variables)
	if name := field.NullArgument(values); name != "" {
		// The same path as gqlgen's own errors about arguments.
		return nil, gqlerror.ErrorPathf(append(graphql.GetPath(ctx), ast.PathName(name)), "must not be null")
	}
	response, err := s.runner.Run(ctx, runner.Request{
		Endpoint: field.Query.Name,
		Params:   field.Parameters(values),
		NoCache:  responses.NoCache,
	})
	if err != nil {
		responses.addFailure(err)
		return nil, withArgument(field, err)
	}
	rows, err := encodeRows(operation, response.Result, field, selected)
	if err != nil {
		return nil, rowsError(ctx, fmt.Errorf("read the rows of %s: %w", field.Query.Name, err)) // INTERNAL
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

// rowsError adds the path and location of the field to an error about one value of a row.
func rowsError(ctx context.Context, err error) error {
	faulty := &valueError{}
	if !errors.As(err, &faulty) {
		return err
	}
	path := append(graphql.GetPath(ctx), faulty.path...)
	position := faulty.field.Position
	return &gqlerror.Error{Err: err, Message: err.Error(), Path: path, Locations: []gqlerror.Location{{Line: position.Line, Column: position.Column}}}
}
