package sqlqtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// hostileValues are parameter values that break an engine which puts a value
// into its SQL, or which reads more in a bound value than a text.
func hostileValues() []string {
	return []string{
		`'`,
		`''`,
		`"`,
		"`",
		`\`,
		`\'`,
		`' OR '1'='1`,
		`' OR 1=1 --`,
		`acme' --`,
		`acme'/*`,
		`*/ acme /*`,
		`'; DROP TABLE edge_logs; --`,
		`"; DROP TABLE function_edge_logs; --`,
		`acme'; DELETE FROM edge_logs WHERE 'a'='a`,
		`acme' UNION ALL SELECT * FROM postgres_logs --`,
		`;`,
		`--`,
		`#`,
		`@project`,
		`@now`,
		`$project`,
		`$1`,
		`?`,
		`:project`,
		`{{project}}`,
		`%`,
		`_`,
		`%s%d%n`,
		`a%me`,
		`NULL`,
		`null`,
		`true`,
		`0`,
		` acme`,
		`acme `,
		"acme\n",
		"acme\x00",
		"\x00",
		"\u202eemca",
		"\ufeffacme",
		"ac\u0301me",
		"🦆",
		"👩🏽‍🚀 acme",
		"日本語",
		strings.Repeat("a", 256),
		strings.Repeat("'", 256),
		strings.Repeat("🦆", 64),
	}
}

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
	for i, value := range append([]string{"acme", "globex"}, hostileValues()...) {
		if strings.ContainsRune(value, 0) {
			continue
		}
		if err := add(i, value); err != nil {
			return nil, err
		}
	}
	return logs, nil
}

// testInjection gives every STRING parameter of every shipped query the hostile
// values, and asks an ordinary question after each: a value is only ever a value.
func (s suite) testInjection(t *testing.T) {
	logs, err := hostileLogs()
	require.NoError(t, err)
	engine := s.open(t, logs)
	catalog := catalogOf(t, engine)
	for _, query := range catalog.Queries() {
		for _, param := range query.Params {
			if param.Type != sqlq.String {
				continue
			}
			t.Run(query.Name+"/"+param.Name, func(t *testing.T) {
				s.mayBeParallel(t)
				engine := engine
				if s.parallel {
					engine = s.open(t, logs)
				}
				for _, value := range hostileValues() {
					s.checkHostile(t, engine, catalog, logs, query.Name, param, value)
					if param.Regex {
						s.checkHostile(t, engine, catalog, logs, query.Name, param, regexp.QuoteMeta(value))
					}
				}
			})
		}
	}
}

// checkHostile asks with one hostile value. A value that binding rejects never
// reaches an engine; the rejection has to blame the parameter.
func (s suite) checkHostile(
	t *testing.T, engine sqlq.Engine, catalog *sqlq.Catalog, logs Logs, query string, param sqlq.Param, value string,
) {
	t.Helper()
	hostile := ordinaryParams(query)
	hostile[param.Name] = value
	question, err := ask(catalog, logs, query, hostile, hostileNow())
	if err != nil {
		var rejected *sqlq.Error
		require.ErrorAs(t, err, &rejected)
		require.Equal(t, param.Name, rejected.Param)
		require.Equal(t, sqlq.InvalidArgument, rejected.Code)
		return
	}
	ordinary, err := ask(catalog, logs, query, ordinaryParams(query), hostileNow())
	require.NoError(t, err)
	for _, asked := range []asked{question, ordinary} {
		report, err := s.check(t.Context(), engine, asked)
		require.NoError(t, err, "%s = %q", param.Name, value)
		assert.Empty(t, report, "%s = %q", param.Name, value)
	}
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
