package live_test

import (
	"fmt"
	"strings"
	"time"
)

// vectorEvents returns a batch of each source as Vector sends it with the configuration of a self-hosted
// Supabase: without ids, with the fields of its docker_logs source, and with metadata that it parsed. at
// returns the time of the minute of a number before now.
func vectorEvents(at func(minute int) string) map[string]string {
	kong := func(minute int, method, path string, status int) string {
		return fmt.Sprintf(`{"appname":"supabase-kong","event_message":"172.18.0.1 - - \"%s %s HTTP/1.1\" %d 17 \"-\" \"curl/8.5.0\"","project":"default","timestamp":%q,
			"metadata":{"request":{"headers":{"cf_connecting_ip":"172.18.0.1","user_agent":"curl/8.5.0","referer":"-"},"method":%[1]q,"path":%[2]q,"protocol":"HTTP/1.1"},"response":{"status_code":%[3]d}}}`,
			method, path, status, at(minute))
	}
	// GoTrue's line is JSON, which Vector keeps as the message and merges into metadata.
	gotrue := func(minute int, level, message, path string, status any) string {
		line := fmt.Sprintf(`"level":%q,"msg":%q,"path":%q,"status":%v,"time":%q`, level, message, path, status, at(minute))
		return fmt.Sprintf(`{"appname":"supabase-auth","event_message":%q,"project":"default","timestamp":%q,"metadata":{"timestamp":%[2]q,%[3]s}}`, "{"+line+"}", at(minute), line)
	}
	postgres := func(minute int, severity, message string) string {
		return fmt.Sprintf(`{"appname":"supabase-db","event_message":%q,"project":"default","timestamp":%q,"metadata":{"host":"db-default","parsed":{"timestamp":%[2]q,"error_severity":%[3]q}}}`,
			message, at(minute), severity)
	}
	return map[string]string{
		"cloudflare.logs.prod": list(
			kong(9, "GET", "/rest/v1/todos?select=*", 200), kong(8, "POST", "/auth/v1/token", 400), kong(7, "GET", "/storage/v1/object/a.png", 503),
			kong(6, "PATCH", "/graphql/v1", 404), kong(5, "PUT", "/realtime/v1/api", 201), kong(5, "DELETE", "/rest/v1/todos", 204), kong(4, "OPTIONS", "/rest/v1/todos", 301),
		),
		"postgres.logs": list(
			postgres(9, "LOG", "LOG:  checkpoint complete"), postgres(8, "ERROR", `ERROR:  relation "it's" does not exist`), postgres(7, "FATAL", "FATAL:  role does not exist"),
			postgres(6, "WARNING", "WARNING:  there is no transaction"), postgres(5, "LOG", "LOG:  cron job 1 starting: VACUUM"),
		),
		"gotrue.logs.prod": list(
			gotrue(9, "info", "request completed", "/token", 200), gotrue(8, "info", "invalid login", "/token", 400), gotrue(7, "error", "database is gone", "/signup", 500),
			gotrue(6, "warning", "slow", "/user", `"200"`), gotrue(5, "info", "moved", "/verify", 303), gotrue(4, "info", "listed", "/admin/users", 200),
			gotrue(3, "info", "recovered", "/recover", 200), gotrue(2, "info", "bye", "/logout", 204),
			fmt.Sprintf(`{"appname":"supabase-auth","event_message":"not JSON","project":"default","timestamp":%q}`, at(1)),
		),
		"realtime.logs.prod": list(
			fmt.Sprintf(`{"appname":"realtime-dev.supabase-realtime","event_message":"Tenant started","timestamp":%q,"metadata":{"project":"default","external_id":"default","level":"info"}}`, at(9)),
		),
		"storage.logs.prod.2": list(
			fmt.Sprintf(`{"appname":"supabase-storage","event_message":"uploaded","timestamp":%q,"metadata":{"project":"default","tenantId":"default","level":"info","timestamp":%[1]q,"context":[{"host":"a1","pid":1}]}}`, at(9)),
			fmt.Sprintf(`{"appname":"supabase-storage","event_message":"not JSON","timestamp":%q,"metadata":{"project":"default","tenantId":"default"}}`, at(8)),
		),
		"postgREST.logs.prod": list(
			fmt.Sprintf(`{"appname":"supabase-rest","event_message":"Listening on port 3000","project":"default","timestamp":%q,"metadata":{"host":"default"}}`, at(9)),
		),
		"deno-relay-logs": list(
			fmt.Sprintf(`{"appname":"supabase-edge-functions","event_message":"serving the request with hello","timestamp":%q,"metadata":{"project_ref":"default"}}`, at(9)),
		),
	}
}

// hostedEvents returns events of the sources for which Studio has pages, that Vector does not send.
func hostedEvents(at func(minute int) string) map[string]string {
	line := func(minute int, level string) string {
		return fmt.Sprintf(`{"event_message":"%s line","timestamp":%q,"metadata":{"project_ref":"default","function_id":"f1","execution_id":"e1","event_type":"Log","level":%[1]q}}`, level, at(minute))
	}
	call := func(minute, status int, took float64) string {
		return fmt.Sprintf(`{"event_message":"POST | %d | hello","timestamp":%q,"metadata":{"project_ref":"default","function_id":"f1","execution_id":"e1","execution_time_ms":%v,"deployment_id":"d1","version":"1",
			"request":{"method":"POST","pathname":"/hello"},"response":{"status_code":%[1]d}}}`, status, at(minute), took)
	}
	return map[string]string{
		"deno-subhosting-events": list(line(9, "info"), line(8, "error"), line(7, "log"), line(6, "debug"), line(5, "warn"), line(4, "warning")),
		"deno-relay-logs":        list(call(8, 200, 12.5), call(8, 500, 7.5), call(7, 404, 1)),
		"pgbouncer.logs.prod":    list(fmt.Sprintf(`{"event_message":"login attempt","project":"default","timestamp":%q,"metadata":{"host":"db"}}`, at(9))),
	}
}

func list(events ...string) string {
	return "[" + strings.Join(events, ",") + "]"
}

// minutesAgo returns a function of the minutes before a time, on the minute.
func minutesAgo(now time.Time) func(minute int) string {
	return func(minute int) string {
		return now.Truncate(time.Minute).Add(-time.Duration(minute) * time.Minute).UTC().Format("2006-01-02T15:04:05.000Z")
	}
}
