package live_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/test/random/randomcatalog"
)

const (
	// userQueries is how many saved queries the schema of the clients has.
	userQueries = 100
	// calledQueries is how many of them the clients call.
	calledQueries = 10
)

// userQuery is a saved query that the clients call.
type userQuery struct {
	name, field, selection string
	rows                   int
}

// The generators of each client read a schema with a hundred user queries of all types.
// What they generate has correct types, and returns the rows.
func TestClientsOfManyUserQueries(t *testing.T) {
	t.Parallel()
	random := randomcatalog.New(rand.New(rand.NewPCG(300, 0)), randomcatalog.Options{
		Queries: userQueries, ArraysOfArrays: true, ParamTypes: sqlq.ParamTypes(),
		ColumnTypes: []sqlq.Type{sqlq.String, sqlq.Int64, sqlq.Float64, sqlq.Numeric, sqlq.Bool, sqlq.Timestamp, sqlq.Datetime, sqlq.Date, sqlq.JSON},
	})
	directory := t.TempDir()
	require.NoError(t, os.CopyFS(directory, random.Files))
	s := serve(t, "--data", filepath.Join(t.TempDir(), "data"), "--queries", directory)
	called := calledOf(t, random)
	var want strings.Builder
	for _, query := range called {
		fmt.Fprintf(&want, "%s %d\n", query.name, query.rows)
	}
	schema := s.get(t, "/schema.graphql")
	require.Contains(t, schema, "echo")
	for name, client := range map[string]struct {
		files    map[string]string
		commands string
		node     bool
	}{
		"typescript": {graphQLClient(called), "npm run --silent generate >&2 && npm run --silent build && node dist/main.js", true},
		"rest":       {restClient(called), `curl -sSf -H "X-API-KEY: $SAVEDQ_TOKEN" -o openapi.json "$SAVEDQ_URL/openapi.json" && npm run --silent generate >&2 && npm run --silent build && node dist/main.js`, true},
		"go":         {goClient(called), `curl -sSf -H "X-API-KEY: $SAVEDQ_TOKEN" -o schema.graphql "$SAVEDQ_URL/schema.graphql" && go tool genqlient && go vet ./... && go run .`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if client.node {
				requireNode(t, name)
			}
			directory := copyClient(t, name)
			for file, text := range client.files {
				require.NoError(t, os.WriteFile(filepath.Join(directory, file), []byte(text), 0o600))
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // for commands that should have ended
			defer cancel()
			shell := exec.CommandContext(ctx, "bash", "-euc", client.commands)
			shell.Dir, shell.Env = directory, append(os.Environ(), "SAVEDQ_URL="+s.url, "SAVEDQ_TOKEN="+s.token)
			var stdout, stderr strings.Builder
			shell.Stdout, shell.Stderr = &stdout, &stderr
			require.NoError(t, shell.Run(), "%s%s", &stdout, &stderr)
			assert.Equal(t, want.String(), stdout.String())
		})
	}
}

// calledOf returns the queries that the clients call: those with rows and few fields.
func calledOf(t *testing.T, random *randomcatalog.Catalog) []userQuery {
	t.Helper()
	read, err := graph.ReadCatalog(duckdbsql.Dialect{}, catalog.Directory{FS: random.Files, Path: "random"})
	require.NoError(t, err)
	schema, err := graph.NewSchema(read)
	require.NoError(t, err)
	fields := make(map[string]*graph.Field)
	for _, definition := range schema.AST().Query.Fields {
		if field := schema.Field(definition.Name); field != nil {
			fields[field.Query.Name] = field
		}
	}
	var called []userQuery
	const fewFields = 15
	for _, query := range random.Queries {
		field := fields[query.Name]
		selection := selectionOf(field.Columns)
		if len(query.Rows) > 0 && len(strings.Fields(selection)) <= fewFields && len(called) < calledQueries {
			called = append(called, userQuery{query.Name, field.Name, selection, len(query.Rows)})
		}
	}
	require.Len(t, called, calledQueries)
	return called
}

// selectionOf selects all fields of an object.
func selectionOf(fields []graph.ColumnField) string {
	var selected strings.Builder
	for _, field := range fields {
		selected.WriteString(field.Name + " ")
		if field.Fields != nil {
			selected.WriteString("{ " + selectionOf(field.Fields) + "} ")
		}
	}
	return selected.String()
}

// documents returns an operation for each query.
func documents(called []userQuery) string {
	var text strings.Builder
	for i, query := range called {
		fmt.Fprintf(&text, "query Call%d { rows: %s { %s } }\n", i, query.field, query.selection)
	}
	return text.String()
}

func graphQLClient(called []userQuery) map[string]string {
	var imports, calls strings.Builder
	for i, query := range called {
		fmt.Fprintf(&imports, "import { Call%dDocument } from './gql/graphql.js';\n", i)
		fmt.Fprintf(&calls, "console.log(`%s ${(await execute(Call%dDocument, {})).rows.length}`);\n", query.name, i)
	}
	return map[string]string{
		"src/activity.graphql": documents(called),
		"src/main.ts": "import { env } from 'node:process';\nimport { newClient } from './client.js';\n" + imports.String() +
			"\nconst execute = newClient(env.SAVEDQ_URL ?? '', env.SAVEDQ_TOKEN ?? '');\n" + calls.String(),
	}
}

func restClient(called []userQuery) map[string]string {
	var calls strings.Builder
	for _, query := range called {
		fmt.Fprintf(&calls, "console.log(`%s ${(await client.GET('/api/endpoints/%[1]s')).data?.result.length}`);\n", query.name)
	}
	return map[string]string{"src/main.ts": `import { env } from 'node:process';
import createClient from 'openapi-fetch';
import type { paths } from './openapi.js';

const client = createClient<paths, 'application/json'>({
  baseUrl: env.SAVEDQ_URL ?? '',
  headers: { 'X-API-KEY': env.SAVEDQ_TOKEN ?? '' },
});
` + calls.String()}
}

func goClient(called []userQuery) map[string]string {
	var calls strings.Builder
	for i, query := range called {
		fmt.Fprintf(&calls, "\tcall%d, err := Call%[1]d(context.Background(), client)\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tfmt.Println(%q, len(call%[1]d.Rows))\n", i, query.name)
	}
	return map[string]string{
		"activity.graphql": documents(called),
		"main.go": `package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/Khan/genqlient/graphql"
)

type withToken string

func (token withToken) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("X-API-KEY", string(token))
	return http.DefaultTransport.RoundTrip(request)
}

func main() {
	client := graphql.NewClient(os.Getenv("SAVEDQ_URL")+"/graphql", &http.Client{Transport: withToken(os.Getenv("SAVEDQ_TOKEN"))})
` + calls.String() + "}\n",
	}
}
