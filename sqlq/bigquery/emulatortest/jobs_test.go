package emulatortest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
)

// jobs serves an emulator's API as BigQuery documents it, where the emulator does
// not, as far as an engine notices:
//
//   - The emulator makes a dataset and a table of every job's result, and at every
//     request reads all jobs and the schemas of all tables that it ever had, so that
//     the fortieth query takes three times as long as the first and memory grows
//     beyond 3 GiB. So queries are put to it as dry runs: in the emulator a dry run
//     does everything and remembers nothing.
//   - Even then it reads the schemas of all tables of the project, with six queries of its own. So
//     queries are put to [emptyProject].
//   - It creates a job for every query, and BigQuery only for some. Here, a query whose
//     rows fit into the response has none. The rows of others are remembered here until
//     they are fetched.
//   - A dry run has no schema in its response, and here has one, so that the columns
//     are checked too.
//   - A mistake in the SQL is called an internal error, which a client tries again,
//     and here invalidQuery or notFound.
//   - The SQL of percentiles gets some help: see [withHelp].
//
// Everything else is the emulator's: what the SQL means and what it gives.
type jobs struct {
	emulator http.Handler
	// help rewrites the SQL of queries; see [withHelp].
	help func(sql string) (string, error)
	// mutex guards results, which are by job id.
	mutex   sync.Mutex
	results map[string]queryResult
}

// queryResult is what jobs.query returns, and getQueryResults returns a page of.
type queryResult struct {
	Schema      json.RawMessage   `json:"schema"`
	Rows        []json.RawMessage `json:"rows"`
	TotalRows   string            `json:"totalRows"`
	JobComplete bool              `json:"jobComplete"`
	PageToken   string            `json:"pageToken,omitempty"`
}

// newJobs returns a handler for all of the API.
func newJobs(emulator http.Handler, help func(sql string) (string, error)) http.Handler {
	served := &jobs{emulator: emulator, help: help, results: map[string]queryResult{}}
	handler := http.NewServeMux()
	handler.HandleFunc("POST /bigquery/v2/projects/{project}/queries", served.start)
	handler.HandleFunc("POST /bigquery/v2/projects/{project}/jobs", served.insert)
	handler.HandleFunc("GET /bigquery/v2/projects/{project}/queries/{job}", served.page)
	handler.Handle("/", emulator)
	return handler
}

// insertedJob is the part of a job that matters here.
type insertedJob struct {
	JobReference  jobReference `json:"jobReference"`
	Configuration struct {
		DryRun bool `json:"dryRun"`
		Query  struct {
			Query           string            `json:"query"`
			DefaultDataset  json.RawMessage   `json:"defaultDataset"`
			QueryParameters []json.RawMessage `json:"queryParameters"`
		} `json:"query"`
	} `json:"configuration"`
}

type jobReference struct {
	Project string `json:"projectId"`
	Job     string `json:"jobId"`
}

// startedQuery is the part of a query that matters here.
type startedQuery struct {
	Query           string            `json:"query"`
	DefaultDataset  json.RawMessage   `json:"defaultDataset"`
	QueryParameters []json.RawMessage `json:"queryParameters"`
	JobCreationMode string            `json:"jobCreationMode"`
	RequestID       string            `json:"requestId"`
	MaxResults      int               `json:"maxResults"`
}

// start runs a query. It responds with its rows, or with a job if there are too many.
func (j *jobs) start(w http.ResponseWriter, r *http.Request) {
	var started startedQuery
	if err := json.NewDecoder(r.Body).Decode(&started); err != nil {
		writeFailure(w, http.StatusBadRequest, "invalid", err.Error())
		return
	}
	if started.JobCreationMode != "JOB_CREATION_OPTIONAL" || started.RequestID == "" {
		writeFailure(w, http.StatusNotImplemented, "notImplemented", "job creation is optional here, and requests have ids")
		return
	}
	var job insertedJob
	job.JobReference = jobReference{Project: r.PathValue("project"), Job: "job_" + started.RequestID}
	job.Configuration.Query.Query = started.Query
	job.Configuration.Query.DefaultDataset = started.DefaultDataset
	job.Configuration.Query.QueryParameters = started.QueryParameters
	result, err := j.query(r, job)
	switch failed, ok := errors.AsType[*failure](err); {
	case ok:
		writeFailure(w, failed.status, failed.reason, failed.message)
	case err != nil:
		writeFailure(w, http.StatusInternalServerError, "internalError", err.Error())
	case started.MaxResults == 0 || len(result.Rows) <= started.MaxResults: // 0 is no limit
		result.JobComplete = true
		writeJSON(w, http.StatusOK, result)
	default:
		j.mutex.Lock()
		j.results[job.JobReference.Job] = result
		j.mutex.Unlock()
		writeJSON(w, http.StatusOK, map[string]any{"jobComplete": false, "jobReference": job.JobReference})
	}
}

// insert runs the dry run of a query, and responds with a job that is done.
func (j *jobs) insert(w http.ResponseWriter, r *http.Request) {
	var job insertedJob
	if err := json.NewDecoder(r.Body).Decode(&job); err != nil {
		writeFailure(w, http.StatusBadRequest, "invalid", err.Error())
		return
	}
	if !job.Configuration.DryRun {
		writeFailure(w, http.StatusNotImplemented, "notImplemented", "queries are not inserted as jobs here")
		return
	}
	job.JobReference.Project = r.PathValue("project")
	result, err := j.query(r, job)
	if failed, ok := errors.AsType[*failure](err); ok {
		writeFailure(w, failed.status, failed.reason, failed.message)
		return
	}
	if err != nil {
		writeFailure(w, http.StatusInternalServerError, "internalError", err.Error())
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"jobReference":  job.JobReference,
		"configuration": map[string]any{"jobType": "QUERY", "dryRun": true, "query": job.Configuration.Query},
		"status":        map[string]any{"state": "DONE"},
		"statistics": map[string]any{
			"query": map[string]any{"statementType": "SELECT", "schema": result.Schema},
		},
	})
}

// query puts the job's query to the emulator.
func (j *jobs) query(r *http.Request, job insertedJob) (queryResult, error) {
	sql, err := j.help(job.Configuration.Query.Query)
	if err != nil {
		return queryResult{}, err
	}
	body, err := json.Marshal(map[string]any{
		"query":           sql,
		"defaultDataset":  job.Configuration.Query.DefaultDataset,
		"queryParameters": job.Configuration.Query.QueryParameters,
		"dryRun":          true,
		// Rows are formatted now, although the format comes with the request for a page.
		"formatOptions": map[string]bool{"useInt64Timestamp": true},
	})
	if err != nil {
		return queryResult{}, err
	}
	path := "/projects/" + emptyProject + "/queries"
	request := httptest.NewRequestWithContext(r.Context(), http.MethodPost, path, bytes.NewReader(body))
	response := httptest.NewRecorder()
	j.emulator.ServeHTTP(response, request)
	if response.Code != http.StatusOK {
		return queryResult{}, failureOf(response, job)
	}
	var result queryResult
	if err := json.Unmarshal(response.Body.Bytes(), &result); err != nil {
		return queryResult{}, fmt.Errorf("read the emulator's response: %w", err)
	}
	return result, nil
}

// page gives rows of a job, and forgets the job with its last row.
func (j *jobs) page(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("formatOptions.useInt64Timestamp") != "true" {
		writeFailure(w, http.StatusNotImplemented, "notImplemented", "timestamps are whole microseconds here")
		return
	}
	rows, err := strconv.Atoi(r.FormValue("maxResults"))
	if err != nil {
		writeFailure(w, http.StatusBadRequest, "invalid", err.Error())
		return
	}
	start := 0
	if token := r.FormValue("pageToken"); token != "" {
		if start, err = strconv.Atoi(token); err != nil {
			writeFailure(w, http.StatusBadRequest, "invalid", err.Error())
			return
		}
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	id := r.PathValue("job")
	result, found := j.results[id]
	if !found {
		writeFailure(w, http.StatusNotFound, "notFound", "Not found: Job "+r.PathValue("project")+":"+id)
		return
	}
	end := min(start+rows, len(result.Rows))
	if end < len(result.Rows) {
		result.PageToken = strconv.Itoa(end)
	} else {
		delete(j.results, id)
	}
	result.Rows = result.Rows[min(start, end):end]
	result.JobComplete = true
	writeJSON(w, http.StatusOK, result)
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client is gone
}
