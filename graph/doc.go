// Package graph holds the GraphQL schema, its scalars, and the code that gqlgen generates
// from them. The resolvers are in savedq/resolvers.
package graph
