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
)

// hostileNow is when the questions of the injection corpus run.
func hostileNow() time.Time { return time.Date(2026, time.March, 10, 12, 0, 0, 0, time.UTC) }

// hostileLogs returns ordinary events, and events whose project, function and URL are
// hostile values, each of which must find exactly its own. No event has a NUL, because
// JSON stores differ in how they store it.
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
		// The values are also those that logs.search compares, in one project.
		request, err := json.Marshal([]any{map[string]any{"method": value, "path": value}})
		if err != nil {
			return err
		}
		logs["auth_logs"] = append(logs["auth_logs"], Event{
			ID: value, Timestamp: at, Project: new("acme"), EventMessage: new("<" + value + ">"), Metadata: request,
		})
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

// testInjection runs the shipped queries with the hostile values for each parameter, and
// then with ordinary values. No value may change what the SQL does.
func (s suite) testInjection(t *testing.T) {
	logs, err := hostileLogs()
	require.NoError(t, err)
	engine := s.open(t, logs)
	catalog := catalogOf(t, engine)
	for _, query := range catalog.Queries() {
		if slices.Contains(s.without, query.Name) {
			continue
		}
		tested := slices.DeleteFunc(slices.Clone(query.Params), func(param sqlq.Param) bool { return testedElsewhere(query.Name, param.Name) })
		texts := slices.DeleteFunc(slices.Clone(tested), func(param sqlq.Param) bool { return !takesTexts(param) })
		for _, param := range tested {
			values := hostileTo(param)
			if place := slices.IndexFunc(texts, func(text sqlq.Param) bool { return text.Name == param.Name }); s.valuesOnce && place >= 0 {
				values.others = everyNth(values.others, place, len(texts))
			}
			t.Run(query.Name+"/"+param.Name, func(t *testing.T) {
				s.mayBeParallel(t)
				engine := engine
				if s.parallel {
					engine = s.open(t, logs)
				}
				ask := func(params map[string]string) error {
					question, err := bind(catalog, logs, query.Name, params, hostileNow())
					if err != nil {
						return err
					}
					report, err := s.check(t.Context(), engine, question)
					require.NoError(t, err, "%s = %.60q", param.Name, params[param.Name])
					assert.Empty(t, report, "%s = %.60q", param.Name, params[param.Name])
					return nil
				}
				for _, value := range slices.Concat(values.others, values.accepted, values.rejected) {
					params := ordinaryParams(query.Name)
					params[param.Name] = value
					err := ask(params)
					if err != nil {
						assertBlames(t, err, param)
					}
					switch {
					case slices.Contains(values.accepted, value):
						require.NoError(t, err, "%.60q", value)
					case slices.Contains(values.rejected, value):
						require.Error(t, err, "%.60q", value)
					}
				}
				require.NoError(t, ask(ordinaryParams(query.Name)), "no value changed anything")
			})
		}
	}
}

// takesTexts reports whether hostile values of a parameter reach the engine.
func takesTexts(param sqlq.Param) bool {
	return (param.Type == sqlq.String || param.Type == sqlq.ArrayOf(sqlq.String)) && len(param.Allowed) == 0 && param.Pattern == ""
}

// everyNth returns every n-th value from the first on.
func everyNth(values []string, first, n int) []string {
	var chosen []string
	for i := first; i < len(values); i += n {
		chosen = append(chosen, values[i])
	}
	return chosen
}

// testedElsewhere reports whether another query has the same condition on a parameter, which is
// run once.
func testedElsewhere(query, param string) bool {
	switch query {
	case logsSearch: // as logs.all
		return param == "project" || param == "project_tier"
	case logsHistogram, logsFacets: // as logs.search
		return param != "bucket_seconds"
	}
	return false
}

// assertBlames asserts that the error is INVALID_ARGUMENT of the parameter.
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
	case projectsList:
		return map[string]string{"projects": "acme,globex"}
	case logsSearch:
		return map[string]string{"project": "acme", "before_timestamp": "2026-03-10T11:59:59Z", "before_id": "m"}
	default:
		return map[string]string{"project": "acme"}
	}
}
