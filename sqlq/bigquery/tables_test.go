package bigquery_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"

	"cloud.google.com/go/auth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rest "google.golang.org/api/bigquery/v2"
	"google.golang.org/api/option"

	"savedq/sqlq"
	"savedq/sqlq/bigquery"
	"savedq/sqlq/googlesql"
)

// What is missing, and how to mend it, in one line.
func TestCheckTablesExplains(t *testing.T) {
	t.Parallel()
	const (
		login   = `BigQuery does not accept the credentials; run "gcloud auth application-default login", or set GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account`
		enable  = `the BigQuery API is not enabled in project p; run "gcloud services enable bigquery.googleapis.com --project p"`
		viewer  = "the account is not allowed to read dataset p.d; grant it the role roles/bigquery.dataViewer on the dataset and roles/bigquery.jobUser on project p"
		table   = "BigQuery has no table or view p.d.edge_logs; create the view or table as docs/bigquery.md shows, or name another dataset with --bigquery-dataset"
		dataset = "BigQuery has no dataset p.d in location eu; create it (bq mk --dataset p:d), or name another with --bigquery-dataset and --bigquery-location"
	)
	tests := map[string]struct {
		dataset, insert *response
		want            string
	}{
		"no dataset":            {failWith(404, "notFound", "Not found: Dataset p:d"), nil, dataset},
		"no dataset for jobs":   {nil, failWith(404, "notFound", "Not found: Dataset p:d was not found in location EU"), dataset},
		"no project":            {failWith(404, "notFound", "Not found: Project p"), nil, "BigQuery has no project p; correct --bigquery-project"},
		"other location":        {&response{200, `{"location":"US"}`}, nil, "dataset p.d is in location US, not in eu; correct --bigquery-location"},
		"no right to see it":    {failWith(403, "accessDenied", "Access Denied: Dataset p:d: Permission bigquery.datasets.get denied on dataset p:d (or it may not exist)."), nil, viewer},
		"bad credentials":       {failWith(401, "authError", "Invalid Credentials"), nil, login},
		"API not enabled":       {failWith(403, "accessNotConfigured", "BigQuery API has not been used in project p before or it is disabled."), nil, enable},
		"no right to run":       {nil, failWith(403, "accessDenied", "Access Denied: Project p: User does not have bigquery.jobs.create permission in project p."), "the account is not allowed to run queries in project p; grant it the role roles/bigquery.jobUser there"},
		"billing":               {nil, failWith(403, "billingNotEnabled", "Billing has not been enabled"), "billing is not enabled in project p; enable it, or name another project with --bigquery-project"},
		"no table":              {nil, failWith(404, "notFound", "Not found: Table p:d.edge_logs was not found in location EU"), table},
		"a job that failed":     {nil, &response{200, `{"jobReference":{},"configuration":{"query":{}},"status":{"state":"DONE","errorResult":{"reason":"backendError","message":"Come\nback"}},"statistics":{"query":{}}}`}, "BigQuery is failing; try again (it reports: Come back)"},
		"no right to the table": {nil, failWith(403, "accessDenied", "Access Denied: Table q:e.raw: User does not have permission to query table q:e.raw, or perhaps it does not exist."), "the account is not allowed to read table q.e.raw; grant it the role roles/bigquery.dataViewer on the table's dataset"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := &fakeService{insert: compiled("SELECT", `{"name":"n","type":"INTEGER"}`)}
			if test.dataset != nil {
				fake.dataset = func() response { return *test.dataset }
			}
			if test.insert != nil {
				fake.insert = func(*rest.Job) response { return *test.insert }
			}
			engine := open(t, fake, func(config *bigquery.Config) { config.Location = "eu" })
			err := engine.CheckTables(t.Context(), []*sqlq.SavedQuery{numbers(5).Query, numbers(6).Query})
			require.EqualError(t, err, test.want)
			assert.Equal(t, name != "other location", errors.Unwrap(err) != nil, "the log has the cause")
		})
	}
}

func failWith(status int, reason, message string) *response {
	failed := refusal(status, reason, message)
	return &failed
}

// All that is missing stands in the one line; mistakes in the SQL are for Check.
func TestCheckTablesCollects(t *testing.T) {
	t.Parallel()
	next := inTurn(
		refusal(404, "notFound", "Not found: Table p:d.b was not found in location EU"),
		refusal(400, "invalidQuery", "Syntax error at [1:1]"),
		refusal(404, "notFound", "Not found: Table p:d.a was not found in location EU"),
		refusal(404, "notFound", "Not found: Table p:d.b was not found in location EU"))
	engine := open(t, &fakeService{insert: func(*rest.Job) response { return next() }})
	query := numbers(5).Query
	err := engine.CheckTables(t.Context(), []*sqlq.SavedQuery{query, query, query, query})
	const fix = "; create the view or table as docs/bigquery.md shows, or name another dataset with --bigquery-dataset"
	require.EqualError(t, err, "BigQuery has no table or view p.d.a"+fix+"; BigQuery has no table or view p.d.b"+fix)
}

// The log of a start names the tables that were reached, behind views too.
func TestCheckTablesLogsTables(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	fake := &fakeService{insert: compiled("SELECT", "")}
	engine := open(t, fake, func(config *bigquery.Config) { config.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	query := numbers(5).Query
	require.NoError(t, engine.CheckTables(t.Context(), []*sqlq.SavedQuery{query, query}))
	assert.Contains(t, log.String(), `dataset=p.d tables="[p.d.edge_logs q.e.raw]"`)
}

// Credentials that cannot be turned into a token, and a service that cannot be
// reached.
func TestCheckTablesWithoutResponse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		failure error
		want    string
	}{
		"token rejected": {&auth.Error{Response: &http.Response{StatusCode: http.StatusBadRequest}, Err: errors.New("invalid_grant")}, `BigQuery does not accept the credentials; run "gcloud auth application-default login"`},
		"no network":     {errors.New("connection refused"), "BigQuery cannot be reached; check the network and, for an emulator, BIGQUERY_EMULATOR_HOST"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				engine := open(t, nil, func(config *bigquery.Config) {
					config.ClientOptions = []option.ClientOption{option.WithHTTPClient(&http.Client{
						Transport: roundTripper(func(*http.Request) (*http.Response, error) { return nil, test.failure }),
					})}
				})
				err := engine.CheckTables(t.Context(), nil)
				require.ErrorContains(t, err, test.want)
				assert.ErrorIs(t, err, test.failure)
			})
		})
	}
}

// Mistakes in a configuration are reported before anything is opened.
func TestNewRejectsConfigurations(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*bigquery.Config)
		want   string
	}{
		"project":       {func(c *bigquery.Config) { c.Project = "" }, "--bigquery-project"},
		"dataset":       {func(c *bigquery.Config) { c.Dataset = "" }, "--bigquery-dataset"},
		"limit":         {func(c *bigquery.Config) { c.MaxBytesBilled = -1 }, "the limit of -1 bytes billed is negative"},
		"timeout":       {func(c *bigquery.Config) { c.JobTimeout = -1 }, "the job timeout of -1ns is negative"},
		"label's key":   {func(c *bigquery.Config) { c.Labels = map[string]string{"Team": "x"} }, `label key "Team" is not`},
		"label's value": {func(c *bigquery.Config) { c.Labels = map[string]string{"team": "X"} }, `value "X" of label team is not`},
		"our own label": {func(c *bigquery.Config) { c.Labels = map[string]string{"savedq_endpoint": "x"} }, "label savedq_endpoint is set by savedq"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := bigquery.Config{Project: "p", Dataset: "d"}
			test.change(&config)
			_, err := bigquery.New(t.Context(), config)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// Without credentials the start ends with the line that says how to get some.
func TestNewWithoutCredentials(t *testing.T) {
	file := t.TempDir() + "/key.json"
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
	const fix = `; run "gcloud auth application-default login", or set GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account`
	_, err := bigquery.New(t.Context(), bigquery.Config{Project: "p", Dataset: "d"})
	require.EqualError(t, err, "the credentials cannot be read: open "+file+": no such file or directory"+fix)
	require.NoError(t, os.WriteFile(file, []byte(`{}`), 0o600))
	_, err = bigquery.New(t.Context(), bigquery.Config{Project: "p", Dataset: "d"})
	require.EqualError(t, err, "BigQuery does not accept the credentials"+fix)
}

// An emulator is found by its variable, with and without a scheme, and asked
// without credentials, over a true connection.
func TestNewOnEmulator(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", t.TempDir()+"/none.json")
	fake := &fakeService{results: rows(page(1, "", 7))}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Empty(t, r.Header.Get("Authorization"))
		assert.Contains(t, r.URL.Path, "/bigquery/v2/projects/p/")
		fake.ServeHTTP(w, r)
	}))
	defer server.Close()
	for _, host := range []string{server.URL, server.Listener.Addr().String()} {
		t.Setenv(bigquery.EmulatorHostVariable, host)
		engine, err := bigquery.New(t.Context(), bigquery.Config{Project: "p", Dataset: "d", Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		require.NoError(t, engine.CheckTables(t.Context(), nil))
		result, err := run(t, engine, numbers(5))
		require.NoError(t, err)
		assert.Equal(t, [][]any{{int64(7)}}, result.Rows)
		assert.Equal(t, googlesql.Dialect{}, engine.Dialect())
		require.NoError(t, engine.Close())
	}
}
