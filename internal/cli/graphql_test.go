package cli

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/graphqlhttp"
	"savedq/internal/graphqlrules"
)

// The defaults of the flags are the default limits.
func TestGraphQLFlagsHaveTheDefaultLimits(t *testing.T) {
	t.Parallel()
	var stdout, stderr strings.Builder
	assert.Equal(t, statusUsage, Run(t.Context(), []string{"serve", "--trusted-documents=nosuch"}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "--trusted-documents: nosuch is not a directory or a manifest\n")
	flags := &graphqlFlags{}
	parser, err := kong.New(flags)
	require.NoError(t, err)
	_, err = parser.Parse(nil)
	require.NoError(t, err)
	assert.Equal(t, graphqlhttp.Config{BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits()}, flags.graphQLConfig())
}

func TestGraphQLFlags(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"body", "tokens", "selections", "depth", "root-fields", "aliases", "complexity"} {
		var stdout, stderr strings.Builder
		assert.Equal(t, statusUsage, Run(t.Context(), []string{"serve", "--graphql-max-" + flag + "=0"}, &stdout, &stderr))
		assert.Contains(t, stderr.String(), "--graphql-max-"+flag+": must be at least 1, not 0")
	}
	var stdout, stderr strings.Builder
	assert.Equal(t, statusUsage, Run(t.Context(), []string{"serve", "--trusted-documents=nosuch"}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "--trusted-documents: nosuch is not a directory or a manifest\n")
	flags := &graphqlFlags{}
	parser, err := kong.New(flags)
	require.NoError(t, err)
	_, err = parser.Parse([]string{"--no-introspection", "--no-graphql-get"})
	require.NoError(t, err)
	config := flags.graphQLConfig()
	assert.True(t, config.WithoutIntrospection)
	assert.True(t, config.WithoutGET)
}
