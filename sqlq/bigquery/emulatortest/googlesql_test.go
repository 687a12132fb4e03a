package emulatortest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/googlesql/googlesqltest"
)

var update = flag.Bool("update", false, "write what the emulator returns to the cases of GoogleSQL") //nolint:gochecknoglobals // Flags of tests are.

// The cases of GoogleSQL's functions are what the emulator returns.
func TestGoogleSQLCases(t *testing.T) {
	t.Parallel()
	files, err := googlesqltest.Read(filepath.Join("..", "..", "googlesql", "testdata", "cases"))
	require.NoError(t, err)
	running, err := start(t.Context())
	require.NoError(t, err)
	defer func() { assert.NoError(t, running.close()) }()
	for _, file := range files {
		for i, c := range file.Cases {
			if !c.IsEmulated() {
				continue
			}
			got, err := running.value(t.Context(), c.SQL)
			if err != nil {
				t.Logf("%s: %s", c.SQL, err)
				got = googlesqltest.Error
			}
			if errors.Is(err, context.DeadlineExceeded) { // it does not end by itself
				require.NoError(t, running.process.Process.Kill())
				running, err = start(t.Context())
				require.NoError(t, err)
			}
			if *update {
				file.Cases[i].Want = got
			} else {
				assert.Equal(t, c.Want, got, c.SQL)
			}
		}
		if *update {
			require.NoError(t, file.Write())
		}
	}
}

// caseTimeout bounds a case: some that are errors in BigQuery never end in the emulator.
const caseTimeout = 30 * time.Second

// value returns what an expression returns, as cases write it.
func (e *emulator) value(ctx context.Context, expression string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, caseTimeout)
	defer cancel()
	rows, err := e.client.Query(fmt.Sprintf("SELECT (%s) AS c", expression)).Read(ctx)
	if err != nil {
		return "", err
	}
	var row []bigquery.Value
	if err := rows.Next(&row); err != nil {
		return "", err
	}
	return googlesqltest.Text(plainValue(row[0])), nil
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
