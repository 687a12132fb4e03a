package bigquery

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"
	"strings"

	"savedq/sqlq/tables"
)

// setupError returns in one line what an operator has to correct, and how. The
// error of the service or the SDK is its cause.
type setupError struct {
	line  string
	cause error
}

// Error returns only the line: the cause is long and mostly URLs.
func (e *setupError) Error() string { return e.line }

// Unwrap returns the cause.
func (e *setupError) Unwrap() error { return e.cause }

// setupError explains a failure to reach the service, the dataset or a table. It returns
// other errors unchanged.
func (c Config) setupError(err error) error {
	found, responded := failureOf(err)
	explain := func(format string, args ...any) error {
		return &setupError{line: fmt.Sprintf(format, args...), cause: err}
	}
	kind, name := subject(found.message)
	switch {
	case found.status == http.StatusUnauthorized, isCredentials(err):
		return credentialsError(err)
	case found.reason == "notFound" && kind == "Table" && strings.HasSuffix(name, "."+tables.RunsName):
		return explain("BigQuery has no table %s, because savedq notes runs in its embedded store only (--engine duckdb); remove the saved queries that read it, or create a table of that name", name)
	case found.reason == "notFound" && kind == "Table":
		return explain("BigQuery has no table or view %s; create the view or table as docs/bigquery.md shows, or name another dataset with --bigquery-dataset", name)
	case found.reason == "notFound" && kind == "Project":
		return explain("BigQuery has no project %s; correct --bigquery-project", name)
	case found.reason == "notFound":
		return explain("BigQuery has no dataset %s%s; create it (bq mk --dataset %s:%s), or name another with --bigquery-dataset and --bigquery-location",
			c.datasetName(), c.inLocation(), c.Project, c.Dataset)
	case found.reason == "accessNotConfigured" || found.reason == "SERVICE_DISABLED":
		return explain("the BigQuery API is not enabled in project %s; run \"gcloud services enable bigquery.googleapis.com --project %s\"", c.Project, c.Project)
	case found.reason == "billingNotEnabled":
		return explain("billing is not enabled in project %s; enable it, or name another project with --bigquery-project", c.Project)
	case found.status == http.StatusForbidden && strings.Contains(found.message, "bigquery.jobs.create"):
		return explain("the account is not allowed to run queries in project %s; grant it the role roles/bigquery.jobUser there", c.Project)
	case (isSetup(found) || isMissing(found)) && kind == "Table":
		return explain("the account is not allowed to read table %s; grant it the role roles/bigquery.dataViewer on the table's dataset", name)
	case (isSetup(found) || isMissing(found)):
		return explain("the account is not allowed to read dataset %s; grant it the role roles/bigquery.dataViewer on the dataset and roles/bigquery.jobUser on project %s", c.datasetName(), c.Project)
	case isTransient(err) && !responded:
		return explain("BigQuery cannot be reached; check the network and, for an emulator, %s", EmulatorHostVariable)
	case isTransient(err):
		return explain("BigQuery is failing; try again (it reports: %s)", strings.Join(strings.Fields(found.message), " "))
	default:
		return err
	}
}

// credentialsError explains how to get credentials that the service accepts. It is for
// requests that the service rejected without them, and for a client that could not be
// created, which only fails if it finds no credentials.
func credentialsError(err error) error {
	line := "BigQuery does not accept the credentials"
	var unreadable *fs.PathError
	if errors.As(err, &unreadable) {
		line = "the credentials cannot be read: " + unreadable.Error()
	}
	return &setupError{
		line:  line + "; run \"gcloud auth application-default login\", or set GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account",
		cause: err,
	}
}

// subject returns what a message is about, such as a Table and its name
// for "Not found: Table p:d.t was not found in location US".
func subject(message string) (kind, name string) {
	found := regexp.MustCompile(`(?:Not found|Access Denied): (Table|Dataset|Project|View) ([^\s,;]+)`).FindStringSubmatch(message)
	if found == nil {
		return "", ""
	}
	if found[1] == "View" {
		found[1] = "Table"
	}
	return found[1], strings.Replace(strings.TrimSuffix(found[2], ":"), ":", ".", 1)
}

// datasetName returns the dataset with its project.
func (c Config) datasetName() string { return c.Project + "." + c.Dataset }

func (c Config) inLocation() string {
	if c.Location == "" {
		return ""
	}
	return " in location " + c.Location
}
