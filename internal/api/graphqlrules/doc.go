// Package graphqlrules checks GraphQL documents and their variables against limits, and
// against the schema by the rules of GraphQL. It does not depend on the transport or on
// what runs a document.
package graphqlrules
