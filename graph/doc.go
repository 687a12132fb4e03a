// Package graph is what GraphQL callers see: the schema, its scalars, and the
// code that gqlgen makes of them. The resolvers are in savedq/resolvers.
package graph
