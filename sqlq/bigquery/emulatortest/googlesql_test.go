package emulatortest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/iterator"

	"savedq/sqlq/googlesql/googlesqltest"
)

var update = flag.Bool("update", false, "write what the emulator returns to the cases of GoogleSQL") //nolint:gochecknoglobals // Flags of tests are.

// casesPerQuery is how many expressions one query asks for: a query costs the emulator far more than an expression.
const casesPerQuery = 25

// The cases of GoogleSQL's functions are what the emulator returns.
func TestGoogleSQLCases(t *testing.T) {
	t.Parallel()
	files, err := googlesqltest.Read(filepath.Join("..", "..", "googlesql", "testdata", "cases"))
	require.NoError(t, err)
	running, err := start(t.Context())
	require.NoError(t, err)
	defer func() { assert.NoError(t, running.close()) }()
	for _, file := range files {
		var values, others []*googlesqltest.Case
		for i := range file.Cases {
			switch c := &file.Cases[i]; {
			case !c.IsEmulated():
			case c.Want == googlesqltest.Error:
				others = append(others, c)
			default:
				values = append(values, c)
			}
		}
		for batch := range slices.Chunk(values, casesPerQuery) {
			got, err := running.values(t.Context(), batch...)
			if err != nil { // because of at least one of them
				others = append(others, batch...)
				continue
			}
			for i, c := range batch {
				checkCase(t, c, got[i])
			}
		}
		for _, c := range others {
			got, err := running.values(t.Context(), c)
			if err != nil {
				t.Logf("%s: %s", c.SQL, err)
				got = []string{googlesqltest.Error}
			}
			if errors.Is(err, context.DeadlineExceeded) { // it does not end by itself
				require.NoError(t, running.process.Process.Kill())
				running, err = start(t.Context())
				require.NoError(t, err)
			}
			checkCase(t, c, got[0])
		}
		if *update {
			require.NoError(t, file.Write())
		}
	}
}

// checkCase fails if a case returns something else than it wants, or updates what it wants.
func checkCase(t *testing.T, c *googlesqltest.Case, got string) {
	t.Helper()
	if *update {
		c.Want = got
	} else {
		assert.Equal(t, c.Want, got, c.SQL)
	}
}

// caseTimeout bounds a query: some that are errors in BigQuery never end in the emulator.
const caseTimeout = 2 * time.Minute

// values returns what the expressions of cases return, as cases write it.
func (e *emulator) values(ctx context.Context, cases ...*googlesqltest.Case) ([]string, error) {
	expressions := make([]string, len(cases))
	for i, c := range cases {
		expressions[i] = fmt.Sprintf("(%s) AS c%d", c.SQL, i)
	}
	rows, err := e.query(ctx, "SELECT "+strings.Join(expressions, ",\n"))
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("%d rows", len(rows))
	}
	return rows[0], nil
}

// query returns the rows of a query, their values as cases write them.
func (e *emulator) query(ctx context.Context, sql string, params ...bigquery.QueryParameter) ([][]string, error) {
	ctx, cancel := context.WithTimeout(ctx, caseTimeout)
	defer cancel()
	query := e.queries.Query(sql)
	query.Parameters, query.JobCreationMode = params, bigquery.JobCreationModeOptional
	query.DefaultProjectID, query.DefaultDatasetID = projectName, datasetName
	read, err := query.Read(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for {
		var row []bigquery.Value
		switch err := read.Next(&row); {
		case errors.Is(err, iterator.Done):
			return rows, nil
		case err != nil:
			return nil, err
		}
		texts := make([]string, len(row))
		for i, value := range row {
			texts[i] = googlesqltest.Text(plainValue(value))
		}
		rows = append(rows, texts)
	}
}

// plainValue returns a value of BigQuery as one that [googlesqltest.Text] writes.
func plainValue(value bigquery.Value) any {
	switch value := value.(type) {
	case []bigquery.Value:
		plain := make([]any, len(value))
		for i := range value {
			plain[i] = plainValue(value[i])
		}
		return plain
	case time.Time:
		return value.UTC().Format("2006-01-02 15:04:05.999999")
	case civil.DateTime:
		return value.In(time.UTC).Format("2006-01-02 15:04:05.999999")
	case civil.Time:
		return civil.DateTime{Date: civil.Date{Year: 2000, Month: 1, Day: 1}, Time: value}.In(time.UTC).Format("15:04:05.999999")
	}
	return value
}
