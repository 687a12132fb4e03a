package live_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// namedColumns is a saved query whose columns have names that GraphQL, Go or TypeScript do not have.
const namedColumns = `id: 00000000-0000-4000-8000-000000000077
name: named.columns
description: Names.
columns:
  - {name: n_GET, type: INT64, nullable: false, description: One.}
  - {name: requestMethod, type: STRING, description: Two.}
  - {name: Start Time, type: TIMESTAMP, nullable: false, description: Three.}
  - {name: größe, type: FLOAT64, description: Four.}
  - {name: 5xx, type: INT64, description: Five.}
  - {name: 数量, type: INT64, description: Six.}
  - name: Some Struct
    type: STRUCT
    description: Seven.
    fields: [{name: Inner Field, type: INT64, description: Inner.}]
`

const namedColumnsSQL = "SELECT 1 AS n_GET, 'a' AS requestMethod, TIMESTAMP '2026-01-01 00:00:00+00' AS `Start Time`, 2.5 AS `größe`, 3 AS `5xx`, 4 AS `数量`, STRUCT(5 AS `Inner Field`) AS `Some Struct`"

const namedDocument = "query Named { namedColumns { nGET requestMethod StartTime grE n5xx u6570U91cf SomeStruct { InnerField } } }\n"

// The generators of clients make typed members of columns with any names.
func TestClientsOfNamedColumns(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(directory, "named.columns"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(directory, "named.columns", "query.yaml"), []byte(namedColumns), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(directory, "named.columns", "query.sql"), []byte(namedColumnsSQL), 0o600))
	s := serve(t, "--data", filepath.Join(t.TempDir(), "data"), "--queries", directory)
	for name, client := range map[string]struct {
		node  bool
		files map[string]string
		run   string
	}{
		"typescript": {true, map[string]string{"src/activity.graphql": namedDocument, "src/main.ts": `import { env } from 'node:process';
import { newClient } from './client.js';
import { NamedDocument } from './gql/graphql.js';

const execute = newClient(env.SAVEDQ_URL ?? '', env.SAVEDQ_TOKEN ?? '');
const [row] = (await execute(NamedDocument, {})).namedColumns;
if (!row) throw new Error('no row');
const time: string = row.StartTime;
const others: (number | null)[] = [row.nGET, row.grE, row.n5xx, row.u6570U91cf, row.SomeStruct?.InnerField ?? null];
console.log(row.requestMethod, time.slice(0, 10), ...others);
`}, "npm run --silent generate >/dev/null && npm run --silent build && node dist/main.js"},
		"rest": {true, map[string]string{"src/main.ts": `import { env } from 'node:process';
import createClient from 'openapi-fetch';
import type { paths } from './openapi.js';

const client = createClient<paths, 'application/json'>({ baseUrl: env.SAVEDQ_URL ?? '', headers: { 'X-API-KEY': env.SAVEDQ_TOKEN ?? '' } });
const { data } = await client.GET('/api/endpoints/named.columns');
const row = data?.result[0];
if (!row) throw new Error('no row');
const time: number = row['Start Time'];
const others: (number | null)[] = [row.n_GET, row['größe'], row['5xx'], row['数量'], row['Some Struct']?.['Inner Field'] ?? null];
console.log(row.requestMethod, new Date(time / 1000).toISOString().slice(0, 10), ...others);
`}, `curl -sSf -H "X-API-KEY: $SAVEDQ_TOKEN" -o openapi.json "$SAVEDQ_URL/openapi.json" && npm run --silent generate >/dev/null && npm run --silent build && node dist/main.js`},
		"go": {false, map[string]string{"activity.graphql": namedDocument, "main.go": `package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/Khan/genqlient/graphql"
)

func main() {
	response, err := Named(context.Background(), graphql.NewClient(os.Getenv("SAVEDQ_URL")+"/graphql", &http.Client{Transport: withToken(os.Getenv("SAVEDQ_TOKEN"))}))
	if err != nil {
		log.Fatal(err)
	}
	row := response.NamedColumns[0]
	fmt.Println(*row.RequestMethod, row.StartTime.Format(time.DateOnly), row.NGET, *row.GrE, *row.N5xx, *row.U6570U91cf, *row.SomeStruct.InnerField)
}

type withToken string

func (token withToken) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("X-API-KEY", string(token))
	return http.DefaultTransport.RoundTrip(request)
}
`}, `curl -sSf -H "X-API-KEY: $SAVEDQ_TOKEN" -o schema.graphql "$SAVEDQ_URL/schema.graphql" && go tool genqlient && go run .`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if client.node {
				requireNode(t, name)
			}
			copied := copyClient(t, name)
			for file, text := range client.files {
				require.NoError(t, os.WriteFile(filepath.Join(copied, file), []byte(text), 0o600))
			}
			const patience = 5 * time.Minute // for commands that should have ended
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			shell := exec.CommandContext(ctx, "bash", "-euc", client.run)
			shell.Dir = copied
			shell.Env = append(os.Environ(), "SAVEDQ_URL="+s.url, "SAVEDQ_TOKEN="+s.token)
			var stdout, stderr strings.Builder
			shell.Stdout, shell.Stderr = &stdout, &stderr
			require.NoError(t, shell.Run(), "%s%s", &stdout, &stderr)
			assert.Equal(t, "a 2026-01-01 1 2.5 3 4 5\n", stdout.String())
		})
	}
}
