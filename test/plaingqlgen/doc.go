// Package plaingqlgen serves the shipped saved queries as gqlgen does by default: its schema
// is handwritten, resolvers return objects, and the generated code writes them value by
// value. Tests and benchmarks compare the derived fields with it.
package plaingqlgen

//go:generate go run github.com/99designs/gqlgen generate --config gqlgen.yml
