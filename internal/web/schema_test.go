package web_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"

	"savedq/graph/graphtest"
)

var update = flag.Bool("update", false, "rewrite web/schema.graphql") //nolint:gochecknoglobals // Flags are global.

// The types of the pages are generated from web/schema.graphql, so it must be the schema that
// a server publishes.
func TestSchemaOfThePagesIsThePublishedSchema(t *testing.T) {
	t.Parallel()
	const file = "../../web/schema.graphql"
	sdl := graphtest.ShippedSchema(t).SDL()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(sdl), 0o644))
	}
	committed, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, sdl, string(committed), "web/schema.graphql is outdated: run \"go test ./internal/web -run TestSchemaOfThePages -update\" and \"make web\"")
}

// A page must not request what the shipped saved queries do not have.
func TestDocumentsOfThePagesAreValid(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../web/src/*/*.graphql")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		document, err := os.ReadFile(file)
		require.NoError(t, err)
		_, mistakes := gqlparser.LoadQueryWithRules(graphtest.ShippedSchema(t).AST(), string(document), nil)
		assert.Empty(t, mistakes, file)
	}
}
