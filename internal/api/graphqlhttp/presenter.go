package graphqlhttp

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
	"github.com/vektah/gqlparser/v2/validator/rules"

	"savedq/internal/api/graphqlrules"
	"savedq/internal/http/causes"
	"savedq/sqlq"
)

// presenter converts every error to what its caller may see (D15, D20), and logs the rest
// of server errors.
type presenter struct {
	logger *slog.Logger
	schema *ast.Schema
}

// recovered converts a panic to an error, which present logs with the stack.
func recovered(_ context.Context, reason any) error {
	return fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
}

// present is gqlgen's error presenter: gqlgen calls it for each error.
func (p *presenter) present(ctx context.Context, err error) *gqlerror.Error {
	found := &gqlerror.Error{}
	if !errors.As(err, &found) {
		found = gqlerror.WrapPath(graphql.GetPath(ctx), err)
	}
	if isDocumentError(found) {
		return p.presentDocumentError(ctx, found)
	}
	if field := graphql.GetFieldContext(ctx); field != nil {
		if path := field.Path(); len(found.Path) > len(path) {
			if argument, ok := found.Path[len(path)].(ast.PathName); ok {
				return p.presentArgumentError(field, path, string(argument), found)
			}
		}
	}
	return p.presentFailure(ctx, err, found)
}

// isDocumentError reports whether the document or its variables were rejected, so that
// nothing was run.
func isDocumentError(err *gqlerror.Error) bool {
	code := err.Extensions["code"]
	return code == errcode.ParseFailed || code == errcode.ValidationFailed
}

// presentDocumentError presents an error in the document or in its variables.
func (p *presenter) presentDocumentError(ctx context.Context, err *gqlerror.Error) *gqlerror.Error {
	if !graphql.HasOperationContext(ctx) {
		return p.presentFailure(ctx, err, err)
	}
	operation := graphql.GetOperationContext(ctx)
	if variable := faultyVariable(operation, err); variable != nil {
		return p.presentVariableError(operation, variable)
	}
	argument, message := "", err.Message
	if operation.Doc == nil { // a syntax error quotes the document at its end
		message, _, _ = strings.Cut(message, ` "`)
	} else {
		argument = faultyArgument(operation.Doc, err)
	}
	if err.Rule == rules.ValuesOfCorrectTypeRule.Name {
		message = placed(argument, message)
	}
	return &gqlerror.Error{
		Message: shortened(message), Locations: err.Locations, Rule: err.Rule,
		Extensions: extensions(sqlq.InvalidArgument, argument),
	}
}

// placed prefixes a message about a literal with its argument. Without an argument, the
// literal belongs to a directive or is the default of a variable.
func placed(argument, message string) string {
	if argument == "" {
		return "this place " + message
	}
	return argument + ": " + message
}

// presentVariableError names the type that a variable needs. gqlgen's own message names
// Go's types.
func (p *presenter) presentVariableError(operation *graphql.OperationContext, variable *ast.VariableDefinition) *gqlerror.Error {
	needed := *variable.Type
	if value, provided := operation.Variables[variable.Variable]; provided && value == nil {
		needed.NonNull = true // null was rejected
	}
	return &gqlerror.Error{
		Message:    shortened("variable $" + variable.Variable + ": " + graphqlrules.Need(&needed, variable.Definition)),
		Locations:  locations(variable.Position),
		Extensions: extensions(sqlq.InvalidArgument, argumentOf(operation.Doc, variable.Variable)),
	}
}

// presentArgumentError presents an argument value that gqlgen rejected while resolving the
// field. The path of the error is the path of the field and the argument's name.
func (p *presenter) presentArgumentError(field *graphql.FieldContext, path ast.Path, name string, err *gqlerror.Error) *gqlerror.Error {
	position, message := field.Field.Position, err.Message
	if argument := field.Field.Arguments.ForName(name); argument != nil {
		position = argument.Position
	}
	if needed := field.Field.Definition.Arguments.ForName(name); needed != nil {
		message = graphqlrules.Need(needed.Type, p.schema.Types[needed.Type.Name()]) // gqlgen's own message names Go's types
	}
	return &gqlerror.Error{
		Message:    shortened(name + ": " + message),
		Path:       path,
		Locations:  locations(position),
		Extensions: extensions(sqlq.InvalidArgument, name),
	}
}

// presentFailure presents an error of sqlq, and any other error as INTERNAL.
func (p *presenter) presentFailure(ctx context.Context, err error, found *gqlerror.Error) *gqlerror.Error {
	if found.Err != nil {
		err = found.Err // without the path, so that errors.Is works
	}
	failure := sqlq.AsError(err)
	if failure.Code.IsServerFault() {
		p.logger.LogAttrs(ctx, failure.LogLevel(), "GraphQL request failed", slog.String("path", found.Path.String()),
			slog.String("code", string(failure.Code)), slog.Any("error", err))
	}
	presented := &gqlerror.Error{
		Message:    failure.PublicText(failure.Param),
		Path:       found.Path,
		Locations:  found.Locations,
		Extensions: extensions(failure.Code, failure.Param),
	}
	if cause := causes.Of(ctx, failure); cause != "" {
		presented.Extensions["cause"] = cause
	}
	return presented
}

// extensions returns the machine-readable part of an error (D20).
func extensions(code sqlq.Code, argument string) map[string]any {
	values := map[string]any{"code": code}
	if argument != "" {
		values["argument"] = shortened(argument)
	}
	return values
}

func locations(position *ast.Position) []gqlerror.Location {
	if position == nil {
		return nil
	}
	return []gqlerror.Location{{Line: position.Line, Column: position.Column}}
}

// shortened returns text, truncated if it is too long for a message.
func shortened(text string) string {
	const maxBytes = 300
	return truncated(text, maxBytes)
}

// truncated returns at most maxBytes bytes of text, with an ellipsis at the end if there are more.
func truncated(text string, maxBytes int) string {
	if len(text) <= maxBytes {
		return text
	}
	return strings.ToValidUTF8(text[:maxBytes-len("…")], "") + "…"
}
