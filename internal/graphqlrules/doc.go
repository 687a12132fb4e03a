// Package graphqlrules says what a GraphQL document may be, and its variables: they are
// held against limits, and against the schema by the rules of GraphQL. It knows neither
// how a request comes nor who runs it.
package graphqlrules
