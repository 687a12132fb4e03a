// Package graphtest serves the shipped saved queries the way gqlgen does out of the box:
// its schema is written by hand, resolvers return objects, and the generated code writes
// them value by value. Tests and benchmarks compare the derived fields with it. Nothing
// but tests imports it.
package graphtest

//go:generate go run github.com/99designs/gqlgen generate --config gqlgen.yml
