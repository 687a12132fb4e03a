package sandbox_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/sandbox"
	"savedq/sqlq/tables"
)

// guarded returns a saved query with a sandbox over log sources and files.
func guarded(t *testing.T, projects sqlq.Type, with string) *sqlq.SavedQuery {
	t.Helper()
	sources := tables.Shipped()
	text := func(name string) sqlq.Column { return sqlq.Column{Name: name, Type: sqlq.String, Nullable: true} }
	files := func(name string, columns ...sqlq.Column) *sqlq.Table {
		return &sqlq.Table{Name: name, Files: &sqlq.Files{Format: "csv", Columns: columns}}
	}
	return &sqlq.SavedQuery{
		Name: "mine.logs", Sandboxed: true, SQL: "WITH " + with + "\nSELECT 1 AS one",
		Params: []sqlq.Param{{Name: "tenant", Type: projects, Scope: sqlq.ScopeProject}, {Name: "other", Type: sqlq.String}},
		Tables: append(sources,
			files("orders", text("id"), text("project"), text("buyer")), files("bills", text("id"), text("tenant")),
			files("visits", text("site"), text("id")), files("counts", sqlq.Column{Name: "n", Type: sqlq.Int64}),
			&sqlq.Table{Name: "own", ProjectMember: "ref", Fields: []sqlq.Field{{Name: "customer", Type: sqlq.String, Path: []string{"ref"}}, {Name: "place", Type: sqlq.String, Path: []string{"place"}}}}),
	}
}

// A sandbox reads tables only where their project is proved to be the caller's.
func TestGuardAccepts(t *testing.T) {
	t.Parallel()
	for _, with := range []string{
		"a AS (SELECT id FROM edge_logs WHERE project = @tenant)",
		"a AS (SELECT id FROM edge_logs WHERE (@TENANT = PROJECT))",
		"a AS (SELECT id FROM `cloudflare.logs.prod` AS e WHERE id > 'a' AND (e.project = @tenant AND id < 'z'))",
		"a AS (SELECT id, timestamp FROM edge_logs WHERE project = @tenant UNION ALL SELECT id, timestamp FROM auth_logs WHERE project = @tenant)",
		"a AS (SELECT e.id FROM edge_logs AS e JOIN auth_logs AS b ON e.id = b.id AND b.project = @tenant AND e.project = @tenant)",
		"a AS (SELECT e.id FROM edge_logs AS e JOIN auth_logs AS b ON e.id = b.id WHERE e.project = @tenant AND b.project = @tenant)",
		"a AS (SELECT e.id FROM edge_logs AS e, auth_logs AS b WHERE e.project = @tenant AND b.project = @tenant)",
		"a AS (SELECT e.id FROM edge_logs AS e LEFT JOIN auth_logs AS b ON b.project = @tenant WHERE e.project = @tenant)",
		"a AS (SELECT b.id FROM edge_logs AS e RIGHT JOIN auth_logs AS b ON e.project = @tenant WHERE b.project = @tenant)",
		"a AS (SELECT id FROM function_logs WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project_ref = @tenant))",
		"a AS (SELECT id FROM function_logs AS f WHERE EXISTS (SELECT m.region FROM UNNEST(f.metadata) AS m, UNNEST(m.request) AS r WHERE r.method = 'GET' AND @tenant = m.project_ref))",
		"a AS (SELECT id FROM function_logs CROSS JOIN UNNEST(metadata) AS m WHERE m.project_ref = @tenant)",
		"a AS (SELECT id FROM function_logs CROSS JOIN UNNEST(metadata) AS m LEFT JOIN UNNEST(m.request) AS r WHERE m.project_ref = @tenant)",
		"a AS (SELECT id FROM function_logs CROSS JOIN UNNEST(metadata) AS m WHERE project_ref = @tenant)",
		"a AS (SELECT id FROM edge_logs CROSS JOIN UNNEST(metadata) AS m WHERE edge_logs.project = @tenant)",
		"a AS (SELECT id FROM storage_logs LEFT JOIN UNNEST(metadata) AS m WHERE m.project = @tenant)",
		"a AS (SELECT id FROM own WHERE customer = @tenant)",
		"a AS (SELECT id FROM orders WHERE project = @tenant)",
		"a AS (SELECT id FROM bills WHERE tenant = @tenant)",
		"a AS (SELECT id FROM visits WHERE site = @tenant)",
		"a AS (SELECT 1 AS one)",
		"a AS (SELECT n FROM UNNEST([1, 2]) AS n)",
		"a AS (SELECT * FROM edge_logs WHERE project = @tenant), b AS (SELECT id FROM a WHERE id > 'x' OR TRUE)",
		"edge_logs AS (SELECT * FROM edge_logs WHERE project = @tenant), b AS (SELECT id FROM edge_logs)",
		"a AS (SELECT (SELECT COUNT(*) FROM auth_logs WHERE project = @tenant) AS n FROM edge_logs WHERE project = @tenant)",
		"a AS (SELECT COUNT(*) AS n FROM edge_logs WHERE project = @tenant GROUP BY id HAVING COUNT(*) > 1)",
		"a AS (WITH b AS (SELECT id FROM edge_logs WHERE project = @tenant) SELECT id FROM b)",
		"a AS (SELECT e.id FROM edge_logs AS e JOIN (SELECT id FROM auth_logs WHERE project = @tenant) AS b USING (id) WHERE e.project = @tenant)",
	} {
		require.NoError(t, sandbox.Check(guarded(t, sqlq.String, with)), with)
	}
	require.NoError(t, sandbox.Check(guarded(t, sqlq.ArrayOf(sqlq.String), "a AS (SELECT id FROM edge_logs WHERE project IN UNNEST(@tenant))")))
}

// A query that mentions the parameter but may return rows of other projects is refused at the table.
func TestGuardRefuses(t *testing.T) {
	t.Parallel()
	const column, member = "add project = @tenant to the WHERE", "add EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project_ref = @tenant) to the WHERE"
	for with, want := range map[string]string{
		// no filter, or in another arm
		"a AS (SELECT id FROM edge_logs)":                                                                                                   column,
		"a AS (SELECT id, @tenant AS t FROM edge_logs)":                                                                                     column,
		"a AS (SELECT id FROM edge_logs /* project = @tenant */)":                                                                           column,
		"a AS (SELECT id FROM edge_logs WHERE 'project = @tenant' != '')":                                                                   column,
		"a AS (SELECT id FROM edge_logs ORDER BY project = @tenant LIMIT 9)":                                                                column,
		"a AS (SELECT id FROM edge_logs WHERE project = @tenant UNION ALL SELECT id FROM edge_logs)":                                        column,
		"a AS (SELECT id FROM edge_logs UNION ALL SELECT id FROM edge_logs WHERE project = @tenant)":                                        column,
		"a AS ((SELECT id FROM edge_logs WHERE project = @tenant) UNION ALL (SELECT id FROM auth_logs WHERE project = @other))":             column,
		"a AS (SELECT id FROM edge_logs EXCEPT DISTINCT SELECT id FROM edge_logs WHERE project = @tenant)":                                  column,
		"a AS (SELECT id FROM edge_logs WHERE project = @tenant), b AS (SELECT id FROM edge_logs)":                                          column,
		"a AS (WITH b AS (SELECT * FROM edge_logs) SELECT id FROM b WHERE project = @tenant)":                                               column,
		"a AS (SELECT id FROM (SELECT * FROM edge_logs) WHERE project = @tenant)":                                                           column,
		"a AS (SELECT id FROM (SELECT * FROM edge_logs WHERE project = @tenant UNION ALL SELECT * FROM auth_logs) WHERE project = @tenant)": column,
		// not a conjunct
		"a AS (SELECT id FROM edge_logs WHERE project = @tenant OR TRUE)":                           column,
		"a AS (SELECT id FROM edge_logs WHERE project = @tenant OR project = @tenant)":              column,
		"a AS (SELECT id FROM edge_logs WHERE NOT project = @tenant)":                               column,
		"a AS (SELECT id FROM edge_logs WHERE NOT (NOT project = @tenant))":                         column,
		"a AS (SELECT id FROM edge_logs WHERE CASE WHEN project = @tenant THEN TRUE ELSE TRUE END)": column,
		"a AS (SELECT id FROM edge_logs WHERE IF(project = @tenant, TRUE, TRUE))":                   column,
		"a AS (SELECT id FROM edge_logs WHERE (project = @tenant) IS NOT NULL)":                     column,
		"a AS (SELECT id FROM edge_logs WHERE (project = @tenant) = FALSE)":                         column,
		"a AS (SELECT id FROM edge_logs WHERE (project = @tenant) IN (TRUE, FALSE))":                column,
		"a AS (SELECT id FROM edge_logs WHERE COALESCE(project = @tenant, TRUE))":                   column,
		// another comparison
		"a AS (SELECT id FROM edge_logs WHERE project != @tenant)":                                      column,
		"a AS (SELECT id FROM edge_logs WHERE project >= @tenant)":                                      column,
		"a AS (SELECT id FROM edge_logs WHERE project LIKE @tenant)":                                    column,
		"a AS (SELECT id FROM edge_logs WHERE STARTS_WITH(project, @tenant))":                           column,
		"a AS (SELECT id FROM edge_logs WHERE project IS NOT DISTINCT FROM NULL AND @tenant = @tenant)": column,
		"a AS (SELECT id FROM edge_logs WHERE project NOT IN (@tenant))":                                column,
		"a AS (SELECT id FROM edge_logs WHERE project IN (@tenant, @other))":                            column,
		"a AS (SELECT id FROM edge_logs WHERE project BETWEEN '' AND @tenant)":                          column,
		"a AS (SELECT id FROM edge_logs WHERE UPPER(project) = @tenant)":                                column,
		"a AS (SELECT id FROM edge_logs WHERE project = CONCAT(@tenant, @other))":                       column,
		"a AS (SELECT id FROM edge_logs WHERE project = @other)":                                        column,
		// another column
		"a AS (SELECT id FROM edge_logs WHERE id = @tenant)":                                                           column,
		"a AS (SELECT id FROM edge_logs WHERE @tenant = @tenant)":                                                      column,
		"a AS (SELECT id FROM orders WHERE buyer = @tenant)":                                                           column,
		"a AS (SELECT id FROM bills WHERE id = @tenant)":                                                               "add tenant = @tenant to the WHERE",
		"a AS (SELECT id FROM own WHERE place = @tenant)":                                                              "m.ref = @tenant",
		"a AS (SELECT id FROM own WHERE project = @tenant)":                                                            "m.ref = @tenant",
		"a AS (SELECT n FROM counts WHERE @tenant = 'a')":                                                              "no column of counts holds the project; leave the table out",
		"a AS (SELECT id FROM function_logs WHERE project = @tenant)":                                                  member,
		"a AS (SELECT id FROM edge_logs WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project = @tenant))": column,
		"a AS (SELECT id FROM edge_logs CROSS JOIN UNNEST(metadata) AS m WHERE m.project = @tenant)":                   column,
		"a AS (SELECT id FROM edge_logs CROSS JOIN UNNEST(['acme']) AS project WHERE project = @tenant)":               column,
		"a AS (SELECT id FROM edge_logs CROSS JOIN (SELECT 'acme' AS p) AS x WHERE x.p = @tenant)":                     column,
		"a AS (SELECT e.id FROM (SELECT id, 'acme' AS project FROM edge_logs) AS e WHERE e.project = @tenant)":         column,
		"a AS (SELECT id, 'acme' AS project FROM edge_logs GROUP BY id HAVING project = @tenant)":                      column,
		"a AS (SELECT id, project FROM edge_logs GROUP BY id, project HAVING project = @tenant)":                       column,
		"a AS (SELECT id FROM edge_logs WHERE TRUE QUALIFY MAX(project = @tenant) OVER ())":                            column,
		// metadata
		"a AS (SELECT id FROM function_logs WHERE EXISTS (SELECT COUNT(*) FROM UNNEST(metadata) AS m WHERE m.project_ref = @tenant))":                     member,
		"a AS (SELECT id FROM function_logs WHERE NOT EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project_ref = @tenant))":                        member,
		"a AS (SELECT id FROM function_logs WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project_ref = @tenant OR TRUE))":                    member,
		"a AS (SELECT id FROM function_logs WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project_ref = @tenant UNION ALL SELECT 1))":         member,
		"a AS (SELECT id FROM function_logs WHERE EXISTS (SELECT 1 FROM UNNEST([1]) AS n LEFT JOIN UNNEST(metadata) AS m WHERE n = 1))":                   member,
		"a AS (SELECT id FROM function_logs WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE r.project_ref = @tenant))":    member,
		"a AS (SELECT id FROM function_logs WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.region = @tenant))":                                 member,
		"a AS (SELECT id FROM function_logs WHERE EXISTS (SELECT 1 FROM function_edge_logs AS f, UNNEST(f.metadata) AS m WHERE m.project_ref = @tenant))": member,
		// joins
		"a AS (SELECT e.id FROM edge_logs AS e JOIN auth_logs AS b ON e.id = b.id WHERE e.project = @tenant)":                                     column,
		"a AS (SELECT e.id FROM edge_logs AS e JOIN auth_logs AS b ON e.project = @tenant)":                                                       column,
		"a AS (SELECT e.id FROM edge_logs AS e, auth_logs AS b WHERE b.project = @tenant)":                                                        column,
		"a AS (SELECT e.id FROM edge_logs AS e LEFT JOIN auth_logs AS b ON e.project = @tenant AND b.project = @tenant)":                          column,
		"a AS (SELECT e.id FROM edge_logs AS e RIGHT JOIN auth_logs AS b ON e.project = @tenant AND b.project = @tenant)":                         column,
		"a AS (SELECT e.id FROM edge_logs AS e FULL JOIN auth_logs AS b ON e.project = @tenant AND b.project = @tenant)":                          column,
		"a AS (SELECT b.id FROM edge_logs AS e FULL JOIN auth_logs AS b USING (project) WHERE project = @tenant)":                                 column,
		"a AS (SELECT e.id FROM edge_logs AS e WHERE e.project = @tenant AND EXISTS (SELECT 1 FROM auth_logs AS b WHERE b.id = e.id))":            column,
		"a AS (SELECT e.id FROM edge_logs AS e WHERE EXISTS (SELECT 1 FROM auth_logs AS b WHERE b.project = @tenant AND e.project = @tenant))":    column,
		"a AS (SELECT e.id FROM edge_logs AS e WHERE e.project = @tenant AND e.id IN (SELECT id FROM auth_logs WHERE e.project = @tenant))":       column,
		"a AS (SELECT (SELECT MAX(id) FROM auth_logs) AS x FROM edge_logs WHERE project = @tenant)":                                               column,
		"a AS (SELECT ARRAY(SELECT id FROM auth_logs) AS x FROM edge_logs WHERE project = @tenant)":                                               column,
		"a AS (SELECT id FROM edge_logs WHERE project = (SELECT @tenant))":                                                                        column,
		"a AS (SELECT * FROM (SELECT id, project FROM edge_logs) PIVOT (COUNT(*) FOR project IN ('acme' AS x)) WHERE x = 1 AND @tenant = 'acme')": column,
		"a AS (SELECT x FROM UNNEST(ARRAY(SELECT id FROM edge_logs)) AS x WHERE x = @tenant)":                                                     column,
	} {
		err := sandbox.Check(guarded(t, sqlq.String, with))
		require.Error(t, err, with)
		assert.Contains(t, err.Error(), want, with)
		assert.Contains(t, err.Error(), "sandbox: callers could read rows of every project", with)
	}
}

// The example for Supabase Studio passes.
func TestGuardAcceptsExample(t *testing.T) {
	t.Parallel()
	query := guarded(t, sqlq.String, "")
	sql, err := os.ReadFile("../../examples/supabase/queries/logs.all/query.sql")
	require.NoError(t, err)
	query.SQL = string(sql)
	query.Params = []sqlq.Param{
		{Name: "project", Type: sqlq.String, Scope: sqlq.ScopeProject},
		{Name: "project_tier", Type: sqlq.String},
		{Name: "iso_timestamp_start", Type: sqlq.Timestamp},
		{Name: "iso_timestamp_end", Type: sqlq.Timestamp},
	}
	require.NoError(t, sandbox.Check(query))
}
