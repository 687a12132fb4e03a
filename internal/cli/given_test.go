package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An empty value, as that of an unset variable of a shell, does not turn a flag off silently.
func TestEmptyFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"serve --tokens=":                                 "--tokens: must not be empty; leave the flag out for its default\n",
		"serve --jwt=":                                    "--jwt: must not be empty; leave the flag out for its default\n",
		"serve --retention-file=":                         "--retention-file: must not be empty; leave the flag out for its default\n",
		"serve --queries=":                                "--queries: must not be empty; leave the flag out for its default\n",
		"serve --trusted-documents=":                      "--trusted-documents: must not be empty; leave the flag out for its default\n",
		"serve --vercel-verify=":                          "--vercel-verify: must not be empty; leave the flag out for its default\n",
		"serve --data=":                                   "--data: must not be empty; leave the flag out for its default\n",
		"serve --tokens= --jwt=":                          "--tokens: must not be empty; leave the flag out for its default\n--jwt: must not be empty; leave the flag out for its default\n",
		"load --source=edge_logs given.go --to=":          "--to: must not be empty; leave the flag out for its default\n",
		"store stats --url=":                              "--url: must not be empty; leave the flag out for its default\n",
		"store delete --project=acme --before=":           "--before: must not be empty; leave the flag out for its default\n",
		"check --against=":                                "--against: must not be empty; leave the flag out for its default\n",
		"new mine --queries=. --sql=":                     "--sql: must not be empty; leave the flag out for its default\n",
		"token new --name=chart --project-tier=":          "--project-tier: must not be empty; leave the flag out for its default\n",
		"token new --name=chart --expires=":               "--expires: must not be empty; leave the flag out for its default\n",
		"token new --name=chart --ingest --sources=":      "--sources: must not be empty; leave the flag out for its default\n",
		"token new --name=chart --projects= --endpoints=": "--projects: must not be empty; leave the flag out for its default\n--endpoints: must not be empty; leave the flag out for its default\n",
		"serve --format=table":                            "unknown flag --format",
		"endpoints --queries=. --queries= --engine=no":    "--engine",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			assert.Equal(t, statusUsage, Run(t.Context(), strings.Split(args, " "), &stdout, &stderr))
			assert.Contains(t, stderr.String(), want)
			assert.NotContains(t, strings.ToLower(stderr.String()), "panic")
		})
	}
	t.Run("as two arguments", func(t *testing.T) {
		t.Parallel()
		var stdout, stderr strings.Builder
		assert.Equal(t, statusUsage, Run(t.Context(), []string{"load", "--source=edge_logs", "--to", "", "given.go"}, &stdout, &stderr))
		assert.Equal(t, "savedq: --to: must not be empty; leave the flag out for its default\nRun \"savedq load --help\" for help.\n", stderr.String())
	})
}

// A flag that has no effect beside the others is rejected.
func TestFlagsWithoutEffect(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"load --source=edge_logs given.go --parallel=2":                        "--parallel: needs --to\n",
		"load --source=edge_logs given.go --data=d --to=http://127.0.0.1:1":    "--data: cannot be combined with --to; use one of them\n",
		"store stats --data=d --url=http://127.0.0.1:1":                        "--data: cannot be combined with --url; use one of them\n",
		"store rejected --events --format=csv":                                 "--format: cannot be combined with --events; use one of them\n",
		"serve --bigquery-project=foo":                                         "--bigquery-project: needs --engine bigquery\n",
		"query logs.all --bigquery-dataset=foo --bigquery-location=EU":         "--bigquery-dataset: needs --engine bigquery\n--bigquery-location: needs --engine bigquery\n",
		"serve --engine=bigquery --bigquery-project=p --max-bytes-billed=1GiB": "--bigquery-dataset: is required",
		"serve --max-bytes-billed=1GiB":                                        "--max-bytes-billed: needs --engine bigquery\n",
		"query logs.all --engine=bigquery --duckdb-memory=1GiB":                "--duckdb-memory: needs --engine duckdb\n",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			assert.Equal(t, statusUsage, Run(t.Context(), strings.Fields(args), &stdout, &stderr))
			assert.Contains(t, stderr.String(), want)
		})
	}
}

// No variable selects what is deleted.
func TestVariablesSelectNoDeletion(t *testing.T) {
	t.Parallel()
	variables := map[string]string{"SAVEDQ_PROJECT": "globex", "SAVEDQ_SOURCE": "edge_logs", "SAVEDQ_BEFORE": "2026-01-01"}
	getenv := func(name string) string { return variables[name] }
	deletion := parse(t, getenv, "store", "delete", "--project=acme").Store.Delete
	assert.Equal(t, "acme", deletion.Project)
	assert.Empty(t, deletion.Source)
	assert.Nil(t, deletion.Before)
	parser, err := newParser(&commands{}, newEnvironment(getenv))
	require.NoError(t, err)
	_, err = parser.Parse([]string{"store", "delete"})
	require.Error(t, err, "--project is required on the command line")
	assert.Equal(t, "edge_logs", *parse(t, getenv, "store", "rejected").Store.Rejected.Source)
}

// A variable that is meant for another command does no harm.
func TestVariablesWithoutEffect(t *testing.T) {
	t.Parallel()
	variables := map[string]string{"SAVEDQ_PARALLEL": "2", "SAVEDQ_BIGQUERY_PROJECT": "p", "SAVEDQ_BIGQUERY_JOB_TIMEOUT": "1ms", "SAVEDQ_DATA": "d", "SAVEDQ_FORMAT": "csv"}
	getenv := func(name string) string { return variables[name] }
	assert.Equal(t, 2, parse(t, getenv, "load", "--source=edge_logs", "given.go").Load.Parallel)
	assert.Equal(t, "p", parse(t, getenv, "serve").Serve.BigQueryProject)
	assert.Equal(t, "d", parse(t, getenv, "load", "--source=edge_logs", "--to=http://127.0.0.1:1", "given.go").Load.Data)
	assert.True(t, parse(t, getenv, "store", "rejected", "--events").Store.Rejected.Events)
}
