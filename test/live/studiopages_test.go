package live_test

import (
	"cmp"
	"fmt"
	"strings"
)

// studioPage is a page of logs in Supabase's Studio, with the SQL that it sends.
type studioPage struct {
	// table is the table of the page, and joins unnest its metadata.
	table, joins string
	// columns are the columns of the list.
	columns string
	// filters are the conditions of the page by key: a key and its values, such as severity.error.
	filters map[string]string
	// failed and warned are the conditions of the chart.
	failed, warned string
	// always is a condition of the page.
	always string
}

// search is the condition of the search box, which all pages have.
func search(pattern string) string {
	return "regexp_contains(event_message, '" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(pattern) + "')"
}

// where returns the WHERE clause of conditions.
func (p *studioPage) where(conditions ...string) string {
	if p.always != "" {
		conditions = append([]string{p.always}, conditions...)
	}
	if len(conditions) == 0 {
		return ""
	}
	return "where (" + strings.Join(conditions, ") and (") + ")"
}

// list returns the SQL of the entries, the newest first.
func (p *studioPage) list(conditions ...string) string {
	return fmt.Sprintf("\n-- the list of a page\nselect id, %s.timestamp, event_message%s\nfrom %[1]s\n%[3]s\n%[4]s\norder by timestamp desc\nlimit 100;\n",
		p.table, p.columns, p.joins, p.where(conditions...))
}

// count returns the SQL of the number of entries.
func (p *studioPage) count(conditions ...string) string {
	return fmt.Sprintf("SELECT count(*) as count FROM %s %s %s", p.table, p.joins, p.where(conditions...))
}

// chart returns the SQL of the chart over the list. after is earlier than what the page shows.
func (p *studioPage) chart(unit, after string, conditions ...string) string {
	failed, warned := cmp.Or(p.failed, "false"), cmp.Or(p.warned, "false")
	return fmt.Sprintf(`
SELECT
-- the chart of a page
  timestamp_trunc(t.timestamp, %[1]s) as timestamp,
  count(CASE WHEN NOT (%[2]s OR %[3]s) THEN 1 END) as ok_count,
  count(CASE WHEN %[2]s THEN 1 END) as error_count,
  count(CASE WHEN %[3]s THEN 1 END) as warning_count,
FROM
  %[4]s t
  %[5]s
  %[6]s
GROUP BY
timestamp
ORDER BY
  timestamp ASC
  `, unit, failed, warned, p.table, p.joins, p.where(append(conditions, "t.timestamp > '"+after+"'")...))
}

// entry returns the SQL of one entry with its details.
func (p *studioPage) entry(id string) string {
	return fmt.Sprintf("select id, timestamp, event_message, metadata from %s where id = '%s' limit 1", p.table, id)
}

const (
	edgeJoins     = "cross join unnest(metadata) as m\n  cross join unnest(m.request) as request\n  cross join unnest(m.response) as response"
	postgresJoins = "cross join unnest(metadata) as m\n  cross join unnest(m.parsed) as parsed"
	itself        = "cross join unnest(metadata) as metadata"

	postgresFailed = "parsed.error_severity in ('ERROR', 'FATAL', 'PANIC')"
	authFailed     = "IFNULL(metadata.level, '') IN ('error', 'fatal') OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) >= 500"
	authWarned     = "IFNULL(metadata.level, '') = 'warning' OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) BETWEEN 400 AND 499"
)

// studioPages returns the pages by their names.
func studioPages() map[string]*studioPage {
	return map[string]*studioPage{
		"edge": {
			table: "edge_logs", joins: edgeJoins,
			columns: ", request.method, request.path, request.search, response.status_code",
			failed:  "response.status_code >= 500", warned: "response.status_code >= 400 AND response.status_code < 500",
			filters: map[string]string{
				"status_code.error":   "response.status_code between 500 and 599",
				"status_code.success": "response.status_code between 200 and 299",
				"status_code.warning": "response.status_code between 400 and 499",
				"product.database":    "request.path like '/rest/%' or request.path like '/graphql/%'",
				"product.storage":     "request.path like '/storage/%'",
				"product.auth":        "request.path like '/auth/%'",
				"product.realtime":    "request.path like '/realtime/%'",
				"method.get":          "request.method = 'GET'",
				"method.post":         "request.method = 'POST'",
				"method.put":          "request.method = 'PUT'",
				"method.patch":        "request.method = 'PATCH'",
				"method.delete":       "request.method = 'DELETE'",
				"method.options":      "request.method = 'OPTIONS'",
				"database":            "identifier = 'default'",
			},
		},
		"postgres": {
			table: "postgres_logs", joins: postgresJoins,
			columns: ", parsed.error_severity, parsed.detail, parsed.hint",
			failed:  postgresFailed, warned: "parsed.error_severity IN ('WARNING')",
			filters: map[string]string{
				"severity.error":   postgresFailed,
				"severity.noError": "parsed.error_severity not in ('ERROR', 'FATAL', 'PANIC')",
				"severity.log":     "parsed.error_severity = 'LOG'",
				"database":         "identifier = 'default'",
			},
		},
		"pg_cron": {
			table: "postgres_logs", joins: postgresJoins, columns: ", parsed.error_severity, parsed.query",
			failed: postgresFailed, warned: "parsed.error_severity IN ('WARNING')",
			always: "parsed.application_name = 'pg_cron' or event_message::text LIKE '%cron job%'",
		},
		"functions": {
			table: "function_logs", joins: itself,
			columns: ", metadata.event_type, metadata.function_id, metadata.execution_id, metadata.level",
			failed:  "metadata.level IN ('error', 'fatal')", warned: "metadata.level IN ('warning')",
			filters: map[string]string{
				"severity.error":    "metadata.level = 'error'",
				"severity.notError": "metadata.level != 'error'",
				"severity.log":      "metadata.level = 'log'",
				"severity.info":     "metadata.level = 'info'",
				"severity.debug":    "metadata.level = 'debug'",
				"severity.warn":     "metadata.level = 'warn'",
			},
		},
		"auth": {
			table: "auth_logs", joins: itself,
			columns: ", metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error",
			failed:  authFailed, warned: authWarned,
			filters: map[string]string{
				"severity.error":           authFailed,
				"severity.warning":         authWarned,
				"severity.info":            "NOT (" + authFailed + ") AND NOT (" + authWarned + ")",
				"status_code.server_error": "cast(metadata.status as int64) between 500 and 599",
				"status_code.client_error": "cast(metadata.status as int64) between 400 and 499",
				"status_code.redirection":  "cast(metadata.status as int64) between 300 and 399",
				"status_code.success":      "cast(metadata.status as int64) between 200 and 299",
				"endpoints.admin":          `REGEXP_CONTAINS(metadata.path, "/admin")`,
				"endpoints.signup":         `REGEXP_CONTAINS(metadata.path, "/signup|/invite|/verify")`,
				"endpoints.authentication": `REGEXP_CONTAINS(metadata.path, "/token|/authorize|/callback|/otp|/magiclink")`,
				"endpoints.recover":        `REGEXP_CONTAINS(metadata.path, "/recover")`,
				"endpoints.user":           `REGEXP_CONTAINS(metadata.path, "/user")`,
				"endpoints.logout":         `REGEXP_CONTAINS(metadata.path, "/logout")`,
			},
		},
		"function requests": {table: "function_edge_logs"},
		"function invocations": {
			table:   "function_edge_logs",
			joins:   "cross join unnest(metadata) as m\n  cross join unnest(m.response) as response\n  cross join unnest(m.request) as request",
			columns: ", response.status_code, request.method, request.pathname, m.function_id, m.execution_id, m.execution_time_ms, m.deployment_id, m.version",
			failed:  "response.status_code >= 500", warned: "response.status_code >= 400 AND response.status_code < 500",
			filters: map[string]string{
				"status_code.error":   "response.status_code between 500 and 599",
				"status_code.success": "response.status_code between 200 and 299",
				"status_code.warning": "response.status_code between 400 and 499",
			},
		},
		"realtime":  {table: "realtime_logs"},
		"storage":   {table: "storage_logs"},
		"postgrest": {table: "postgrest_logs", filters: map[string]string{"database": "identifier = 'default'"}},
		"supavisor": {
			table: "supavisor_logs", joins: "cross join unnest(metadata) as m",
			filters: map[string]string{"database": "m.project like 'default%'"},
		},
		"pgbouncer":  {table: "pgbouncer_logs"},
		"pg_upgrade": {table: "pg_upgrade_logs"},
		"etl":        {table: "etl_replication_logs", filters: map[string]string{"pipeline": "pipeline_id = 3", "pipeline text": "pipeline_id = '3'"}},
		"multigres": {
			table:  "multigres_logs",
			failed: "JSON_VALUE(event_message, '$.level') IN ('ERROR', 'FATAL', 'PANIC')",
			warned: "JSON_VALUE(event_message, '$.level') IN ('WARN', 'WARNING')",
		},
		"auth audit": {table: "auth_audit_logs"},
		"cron":       {table: "pg_cron_logs"},
	}
}
