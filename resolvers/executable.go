package resolvers

import (
	"bytes"
	"context"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"savedq/graph"
)

// NewExecutableSchema returns the schema for gqlgen's executor. Callers must run operations
// in a context of [WithResponses].
func NewExecutableSchema(schema *graph.Schema, resolver *Resolver) graphql.ExecutableSchema {
	return &executableSchema{
		ExecutableSchema: graph.NewExecutableSchema(graph.Config{Schema: schema.AST(), Resolvers: resolver}),
		schema:           schema,
		runner:           resolver.Runner,
	}
}

// executableSchema runs the fields of saved queries, which are known only after the catalog
// is read. gqlgen's generated code runs all other fields.
type executableSchema struct {
	graphql.ExecutableSchema
	schema *graph.Schema
	runner Runner
}

// Exec returns a handler that runs the operation of the context once.
func (s *executableSchema) Exec(ctx context.Context) graphql.ResponseHandler {
	operation := graphql.GetOperationContext(ctx)
	if operation.Operation.Operation == ast.Subscription {
		return s.ExecutableSchema.Exec(ctx)
	}
	if operation.Operation.Operation != ast.Query {
		return graphql.OneShot(graphql.ErrorResponse(ctx, "unsupported GraphQL operation"))
	}
	done := false
	return func(ctx context.Context) *graphql.Response {
		if done {
			return nil
		}
		done = true
		var data bytes.Buffer
		s.query(ctx, operation).MarshalGQL(&data)
		return &graphql.Response{Data: data.Bytes()}
	}
}

// query runs the root fields of an operation concurrently. A failed non-null field makes
// all data null (GraphQL, section 6.4.4).
func (s *executableSchema) query(ctx context.Context, operation *graphql.OperationContext) graphql.Marshaler {
	ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: "Query"})
	fields := graphql.CollectFields(operation, operation.Operation.SelectionSet, []string{"Query"})
	results := graphql.NewFieldSet(fields)
	var failed atomic.Bool
	for i, field := range fields {
		resolve := s.static
		if s.schema.Field(field.Name) != nil {
			resolve = s.savedQuery
		}
		results.Concurrently(i, func(ctx context.Context) graphql.Marshaler {
			value, ok := resolve(ctx, operation, field)
			if !ok {
				failed.Store(true)
			}
			return value
		})
	}
	results.Dispatch(ctx)
	if failed.Load() {
		return graphql.Null
	}
	return results
}

// static runs a field with the generated code, as an operation with only this field. It
// reports whether the field succeeded: false if a non-null field has no value.
func (s *executableSchema) static(ctx context.Context, original *graphql.OperationContext, field graphql.CollectedField) (graphql.Marshaler, bool) {
	single := *field.Field
	single.SelectionSet, single.Directives = field.Selections, nil // the directives have been applied
	operation := &graphql.OperationContext{
		RawQuery: original.RawQuery, Variables: original.Variables, OperationName: original.OperationName, Doc: original.Doc,
		Operation:              &ast.OperationDefinition{Operation: ast.Query, SelectionSet: ast.SelectionSet{&single}},
		DisableIntrospection:   original.DisableIntrospection,
		RecoverFunc:            original.RecoverFunc,
		ResolverMiddleware:     original.ResolverMiddleware,
		RootResolverMiddleware: original.RootResolverMiddleware,
	}
	ctx = graphql.WithOperationContext(ctx, operation)
	data := s.ExecutableSchema.Exec(ctx)(ctx).Data
	var value []byte
	if _, after, ok := bytes.Cut(data, []byte{':'}); ok { // {"alias":value}; an alias has no colon
		value = bytes.TrimSuffix(after, []byte{'}'})
	}
	return rawJSON(value), value != nil
}

// savedQuery runs a field's saved query. It reports whether the query succeeded, and adds
// its error to the response of the context.
func (s *executableSchema) savedQuery(ctx context.Context, operation *graphql.OperationContext, field graphql.CollectedField) (value graphql.Marshaler, ok bool) {
	ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: "Query", Field: field, IsResolver: true, IsMethod: true})
	defer func() {
		if reason := recover(); reason != nil {
			graphql.AddError(ctx, operation.RecoverFunc(ctx, reason))
			value, ok = graphql.Null, false
		}
	}()
	rows, err := s.run(ctx, operation, field)
	if err != nil {
		graphql.AddError(ctx, graphql.AddFieldLocationToError(ctx, err))
		return graphql.Null, false
	}
	if rows == nil {
		return graphql.Null, false
	}
	return rows, true
}
