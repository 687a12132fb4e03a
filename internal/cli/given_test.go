package cli

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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

// With --dev, the first directory of --queries may be new, in a directory that exists.
func TestNewDirectoryWithDev(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	missing, file := filepath.Join(directory, "new"), writeFile(t, filepath.Join(directory, "file"), "")
	deep := filepath.Join(missing, "deep")
	for _, test := range []struct {
		variables map[string]string
		args      []string
		want      string
	}{
		{nil, []string{"serve", "--dev", "--queries", missing}, ""},
		{nil, []string{"serve", "--dev", "--queries", missing + "/"}, ""},
		{nil, []string{"serve", "--queries", missing, "--dev"}, ""},
		{nil, []string{"serve", "--dev", "--queries", missing, "--queries", directory}, ""},
		{map[string]string{"SAVEDQ_DEV": "true", "SAVEDQ_QUERIES": missing}, []string{"serve"}, ""},
		{nil, []string{"serve", "--dev", "--queries", directory, "--queries", missing}, "--queries: " + missing + " is not a directory"},
		{nil, []string{"serve", "--dev", "--queries", file}, "--queries: " + file + " is not a directory"},
		{nil, []string{"serve", "--dev", "--queries", deep}, "--queries: " + missing + " is not a directory"},
		{nil, []string{"serve", "--dev", "--queries", filepath.Join(file, "new")}, "--queries: " + filepath.Join(file, "new") + " is not a directory"},
		{nil, []string{"serve", "--queries", missing}, "--queries: " + missing + " is not a directory"},
		{nil, []string{"serve", "--dev=false", "--queries", missing}, "--queries: " + missing + " is not a directory"},
		{nil, []string{"serve", "--dev", "--tables", missing}, "--tables: " + missing + " is not a directory"},
		{map[string]string{"SAVEDQ_DEV": "true"}, []string{"check", "--queries", missing}, "--queries: " + missing + " is not a directory"},
	} {
		parser := newTestParser(t, &commands{}, func(name string) string { return test.variables[name] })
		_, err := parser.Parse(test.args)
		if test.want == "" {
			require.NoError(t, err, test.args)
		} else {
			require.EqualError(t, err, test.want, test.args)
		}
	}
	assert.NoDirExists(t, missing, "reading flags creates nothing")
}
