package cli

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
)

// The defaults of the flags are the default limits.
func TestGraphQLFlagsHaveTheDefaultLimits(t *testing.T) {
	t.Parallel()
	flags := &graphqlFlags{}
	parser, err := kong.New(flags)
	require.NoError(t, err)
	_, err = parser.Parse(nil)
	require.NoError(t, err)
	assert.Equal(t, graphqlhttp.Config{BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits()}, flags.graphQLConfig())
}

func TestGraphQLFlags(t *testing.T) {
	t.Parallel()
	flags := &graphqlFlags{}
	parser, err := kong.New(flags)
	require.NoError(t, err)
	_, err = parser.Parse([]string{"--no-introspection", "--no-graphql-get"})
	require.NoError(t, err)
	config := flags.graphQLConfig()
	assert.True(t, config.WithoutIntrospection)
	assert.True(t, config.WithoutGET)
}
