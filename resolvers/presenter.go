package resolvers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/sqlq"
)

// presenter turns every error into what its caller may see (D15, D20), and logs
// what the caller may not.
type presenter struct {
	logger *slog.Logger
}

// recovered turns a panic into an error, which present logs with the stack.
func recovered(_ context.Context, reason any) error {
	return fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
}

// present is called by gqlgen for each error, wherever it comes from.
func (p *presenter) present(ctx context.Context, err error) *gqlerror.Error {
	found := &gqlerror.Error{}
	if !errors.As(err, &found) {
		found = gqlerror.WrapPath(graphql.GetPath(ctx), err)
	}
	if isDocumentError(found) {
		return presentDocumentError(ctx, found)
	}
	if field := graphql.GetFieldContext(ctx); field != nil {
		if path := field.Path(); len(found.Path) > len(path) {
			return presentArgumentError(field, path, found)
		}
	}
	return p.presentFailure(ctx, err, found)
}

// isDocumentError says whether gqlgen refused the document or its variables, so
// that nothing was run.
func isDocumentError(err *gqlerror.Error) bool {
	code := err.Extensions["code"]
	return code == errcode.ParseFailed || code == errcode.ValidationFailed
}

// presentDocumentError presents an error in the document or in its variables.
func presentDocumentError(ctx context.Context, err *gqlerror.Error) *gqlerror.Error {
	if variable := faultyVariable(ctx, err); variable != nil {
		return presentVariableError(graphql.GetOperationContext(ctx), variable)
	}
	argument := ""
	if graphql.HasOperationContext(ctx) {
		argument = faultyArgument(graphql.GetOperationContext(ctx).RawQuery, err)
	}
	return &gqlerror.Error{
		Message: err.Message, Locations: err.Locations, Rule: err.Rule,
		Extensions: extensions(sqlq.InvalidArgument, argument),
	}
}

// presentArgumentError presents a value that the type of an argument refuses when
// the field is about to be resolved: its path goes beyond the field's, by the
// argument's name.
func presentArgumentError(field *graphql.FieldContext, path ast.Path, err *gqlerror.Error) *gqlerror.Error {
	name, _ := err.Path[len(path)].(ast.PathName)
	position := field.Field.Position
	if argument := field.Field.Arguments.ForName(string(name)); argument != nil {
		position = argument.Position
	}
	return &gqlerror.Error{
		Message:    string(name) + ": " + err.Message,
		Path:       path,
		Locations:  locations(position),
		Extensions: extensions(sqlq.InvalidArgument, string(name)),
	}
}

// presentFailure presents what sqlq says.
func (p *presenter) presentFailure(ctx context.Context, err error, found *gqlerror.Error) *gqlerror.Error {
	if found.Err != nil {
		err = found.Err // without the path, which says nothing to errors.Is
	}
	failure := sqlq.AsError(err)
	if failure.Code.IsServerFault() {
		p.logger.ErrorContext(ctx, "GraphQL field failed", slog.String("path", found.Path.String()),
			slog.String("code", string(failure.Code)), slog.Any("error", err))
	}
	argument := camelCase(failure.Param)
	return &gqlerror.Error{
		Message:    failure.PublicText(argument),
		Path:       found.Path,
		Locations:  found.Locations,
		Extensions: extensions(failure.Code, argument),
	}
}

// extensions is the part of an error that programs read (D20).
func extensions(code sqlq.Code, argument string) map[string]any {
	values := map[string]any{"code": code}
	if argument != "" {
		values["argument"] = argument
	}
	return values
}

func locations(position *ast.Position) []gqlerror.Location {
	if position == nil {
		return nil
	}
	return []gqlerror.Location{{Line: position.Line, Column: position.Column}}
}

// camelCase spells the name of a parameter as the schema does.
func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words {
		if i > 0 && word != "" {
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}
