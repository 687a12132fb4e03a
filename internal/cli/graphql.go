package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
)

// graphqlFlags configure GraphQL and its limits.
type graphqlFlags struct {
	TrustedDocuments     string   `placeholder:"DIR" help:"GraphQL: run only the documents of this folder, files named <sha256>.graphql or a JSON file of hashes and documents. Default: run any document within the limits."`
	Introspection        bool     `default:"true" negatable:"" help:"GraphQL: allow introspection of the schema, and serve /schema.graphql. Default: ${default}."`
	GraphQLGET           bool     `name:"graphql-get" default:"true" negatable:"" help:"GraphQL: accept requests by GET, too. Default: ${default}."`
	GraphQLMaxBody       byteSize `name:"graphql-max-body" default:"64KiB" min:"1" placeholder:"SIZE" help:"GraphQL: largest request. Default: ${default}."`
	GraphQLMaxTokens     int      `name:"graphql-max-tokens" default:"2000" min:"1" placeholder:"N" help:"GraphQL: most tokens of a document. Default: ${default}."`
	GraphQLMaxSelections int      `name:"graphql-max-selections" default:"1000" min:"1" placeholder:"N" help:"GraphQL: most fields of a document, each fragment counted as often as it is used. Default: ${default}."`
	GraphQLMaxDepth      int      `name:"graphql-max-depth" default:"10" min:"1" placeholder:"N" help:"GraphQL: most levels of fields. Default: ${default}."`
	GraphQLMaxRootFields int      `name:"graphql-max-root-fields" default:"10" min:"1" placeholder:"N" help:"GraphQL: most fields of an operation itself, each of which may run a saved query. Default: ${default}."`
	GraphQLMaxAliases    int      `name:"graphql-max-aliases" default:"30" min:"1" placeholder:"N" help:"GraphQL: most aliases of a document. Default: ${default}."`
	GraphQLMaxComplexity int      `name:"graphql-max-complexity" default:"50000" min:"1" placeholder:"N" help:"GraphQL: most complexity of an operation: a field that runs a saved query costs its most rows times the fields selected of each. Default: ${default}."`
}

func (f *graphqlFlags) Validate() error {
	if f.TrustedDocuments != "" {
		_, err := os.Stat(f.TrustedDocuments)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("--trusted-documents: %s is not a directory or a manifest", f.TrustedDocuments)
		case err != nil:
			return fmt.Errorf("--trusted-documents: %s cannot be read: %w", f.TrustedDocuments, err)
		}
	}
	return nil
}

// graphQLConfig returns the limits of GraphQL.
func (f *graphqlFlags) graphQLConfig() graphqlhttp.Config {
	return graphqlhttp.Config{
		BodyBytes: int64(f.GraphQLMaxBody),
		Limits: graphqlrules.Limits{
			Tokens:     f.GraphQLMaxTokens,
			Selections: f.GraphQLMaxSelections,
			Depth:      f.GraphQLMaxDepth,
			RootFields: f.GraphQLMaxRootFields,
			Aliases:    f.GraphQLMaxAliases,
			Complexity: f.GraphQLMaxComplexity,
		},
		WithoutIntrospection: !f.Introspection,
		WithoutGET:           !f.GraphQLGET,
	}
}
