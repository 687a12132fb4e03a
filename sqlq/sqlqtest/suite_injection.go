package sqlqtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// hostileNow is when the questions of the injection corpus are asked.
func hostileNow() time.Time { return time.Date(2026, time.March, 10, 12, 0, 0, 0, time.UTC) }

// hostileLogs hold, beside ordinary events, events whose project, function and
// URL are the hostile values: such a value has to find exactly its own. A NUL
// is only asked for, because JSON stores differ in what they keep of one.
func hostileLogs() (Logs, error) {
	logs := Logs{}
	add := func(i int, value string) error {
		at := hostileNow().Add(-time.Duration(i+1) * time.Second)
		edge, err := json.Marshal([]any{map[string]any{"request": []any{
			map[string]any{"url": "https://" + value + ".example.com/", "path": "/rest/" + value},
		}}})
		if err != nil {
			return err
		}
		function, err := json.Marshal([]any{map[string]any{
			"project_ref": value, "function_id": value, "execution_time_ms": i,
			"response": []any{map[string]any{"status_code": 200}},
		}})
		if err != nil {
			return err
		}
		for table, metadata := range map[string]json.RawMessage{edgeLogs: edge, functionEdgeLogs: function, "postgres_logs": edge} {
			logs[table] = append(logs[table], Event{
				ID: fmt.Sprintf("%s-%02d", table, i), Timestamp: at, Project: &value, EventMessage: &value, Metadata: metadata,
			})
		}
		return nil
	}
	for i, value := range slices.Concat([]string{"acme", "globex", longText(mostCharacters)}, hostileValues()) {
		if strings.ContainsRune(value, 0) {
			continue
		}
		if err := add(i, value); err != nil {
			return nil, err
		}
	}
	return logs, nil
}

// testInjection gives every parameter of every shipped query the hostile values of
// its type, and asks an ordinary question after each: a value is only ever a value.
func (s suite) testInjection(t *testing.T) {
	logs, err := hostileLogs()
	require.NoError(t, err)
	engine := s.open(t, logs)
	catalog := catalogOf(t, engine)
	for _, query := range catalog.Queries() {
		for _, param := range query.Params {
			t.Run(query.Name+"/"+param.Name, func(t *testing.T) {
				s.mayBeParallel(t)
				engine := engine
				if s.parallel {
					engine = s.open(t, logs)
				}
				asker := hostileAsker{suite: s, engine: engine, catalog: catalog, logs: logs, query: query.Name, param: param}
				values := hostileTo(param)
				for _, value := range slices.Concat(values.others, values.answered, values.refused) {
					err := asker.ask(t, value)
					switch {
					case slices.Contains(values.answered, value):
						require.NoError(t, err, "%.60q", value)
					case slices.Contains(values.refused, value):
						require.Error(t, err, "%.60q", value)
					}
				}
			})
		}
	}
}

// hostileAsker asks an engine a query with hostile values of a parameter.
type hostileAsker struct {
	suite   suite
	engine  sqlq.Engine
	catalog *catalog.Catalog
	logs    Logs
	query   string
	param   sqlq.Param
}

// ask asks with one hostile value, and then an ordinary question. The error is that
// of binding, which has to blame the parameter: such a value never reaches an engine.
func (a hostileAsker) ask(t *testing.T, value string) error {
	t.Helper()
	params := ordinaryParams(a.query)
	params[a.param.Name] = value
	question, err := ask(a.catalog, a.logs, a.query, params, hostileNow())
	if err != nil {
		assertBlames(t, err, a.param)
		return err
	}
	ordinary, err := ask(a.catalog, a.logs, a.query, ordinaryParams(a.query), hostileNow())
	require.NoError(t, err)
	for _, asked := range []asked{question, ordinary} {
		report, err := a.suite.check(t.Context(), a.engine, asked)
		require.NoError(t, err, "%s = %.60q", a.param.Name, value)
		assert.Empty(t, report, "%s = %.60q", a.param.Name, value)
	}
	return nil
}

// assertBlames asserts that a value was refused, and that its parameter is named.
func assertBlames(t *testing.T, err error, param sqlq.Param) {
	t.Helper()
	var rejected *sqlq.Error
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, param.Name, rejected.Param)
	require.Equal(t, sqlq.InvalidArgument, rejected.Code)
}

// ordinaryParams are parameters of a query that find ordinary events.
func ordinaryParams(query string) map[string]string {
	switch query {
	case invocationStats:
		return map[string]string{"project": "acme", "interval": "15min"}
	case apiCounts:
		return map[string]string{"project": "acme", "interval": "minutely"}
	default:
		return map[string]string{"project": "acme"}
	}
}
