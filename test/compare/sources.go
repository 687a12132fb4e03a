package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// source is a log source with its share of the events in percent.
type source struct {
	name  string
	share int
	// event returns the message, in printable ASCII, and the metadata, a JSON object as senders post it.
	event func(details) (message, metadata string)
}

// details are what an event is made of.
type details struct {
	*rand.Rand

	project string
	time    time.Time
}

func sources() []source {
	return []source{
		{"edge_logs", 36, edgeEvent},
		{"postgres_logs", 14, postgresEvent},
		{"function_edge_logs", 12, functionEdgeEvent},
		{"function_logs", 10, functionEvent},
		{"auth_logs", 10, authEvent},
		{"realtime_logs", 5, realtimeEvent},
		{"storage_logs", 6, storageEvent},
		{"postgrest_logs", 4, postgrestEvent},
		{"pgbouncer_logs", 3, pgbouncerEvent},
	}
}

// pickSource returns the index of a source for a number from 0 to 99.
func pickSource(percent int) int {
	for i, source := range sources() {
		if percent -= source.share; percent < 0 {
			return i
		}
	}
	panic("the shares of the sources are less than 100 %")
}

// oneOf returns one of the values; the first half is four times as likely as the rest.
func oneOf(random *rand.Rand, values ...string) string {
	if half := len(values) / 2; half > 0 && random.IntN(5) > 0 {
		return values[random.IntN(half)]
	}
	return values[random.IntN(len(values))]
}

func (d details) hex(digits int) string {
	return fmt.Sprintf("%016x", d.Uint64())[:digits]
}

func (d details) address() string { return fmt.Sprintf("203.0.113.%d", d.IntN(256)) }

func (d details) method() string { return oneOf(d.Rand, "GET", "POST", "PATCH", "OPTIONS", "DELETE") }

func (d details) status() string {
	return oneOf(d.Rand, "200", "200", "200", "204", "201", "400", "401", "404", "500", "503")
}

func (d details) agent() string {
	return oneOf(d.Rand,
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/121.0.0.0",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) Safari/604.1",
		"Mozilla/5.0 (X11; Linux x86_64; rv:122.0) Gecko/20100101 Firefox/122.0",
		"ExampleApp/4.12.0 (Android 14; okhttp/4.12.0)", "node-fetch/3.3.2", "curl/8.5.0")
}

func (d details) table() string {
	return oneOf(d.Rand, "customers", "orders", "products", "messages", "profiles", "carts", "readings", "invoices")
}

func (d details) level() string { return oneOf(d.Rand, "info", "info", "warning", "error") }

func edgeEvent(d details) (message, metadata string) {
	method, status, agent, address, ray := d.method(), d.status(), d.agent(), d.address(), d.hex(16)
	path := fmt.Sprintf("/rest/v1/%s", d.table())
	url := fmt.Sprintf("https://%s.example.com%s?id=eq.%d", d.project, path, d.IntN(5000))
	place := oneOf(d.Rand, `"city":"Frankfurt","colo":"FRA","country":"DE"`, `"city":"London","colo":"LHR","country":"GB"`,
		`"city":"Tokyo","colo":"NRT","country":"JP"`, `"city":"San Jose","colo":"SJC","country":"US"`)
	message = fmt.Sprintf("%s | %s | %s | %s | %s", method, status, address, ray, url)
	metadata = fmt.Sprintf(`{"request":{"cf":{"asn":%d,%s,"httpProtocol":"HTTP/2"},`+
		`"headers":{"cf_connecting_ip":"%s","cf_ray":"%s","user_agent":"%s"},"method":"%s","path":"%s","url":"%s"},`+
		`"response":{"origin_time":%d,"status_code":%s}}`,
		64496+d.IntN(8), place, address, ray, agent, method, path, url, 5+d.IntN(400), status)
	return message, metadata
}

func postgresEvent(d details) (message, metadata string) {
	severity := oneOf(d.Rand, "LOG", "LOG", "LOG", "WARNING", "ERROR", "FATAL")
	message = oneOf(d.Rand,
		"connection authorized: user=authenticator database=postgres application_name=postgrest",
		fmt.Sprintf("duration: %d.%03d ms  execute <unnamed>: select * from %s where id = $1", d.IntN(900), d.IntN(1000), d.table()),
		fmt.Sprintf("relation %q does not exist", "public."+d.table()),
		fmt.Sprintf("checkpoint complete: wrote %d buffers (0.3%%); 0 WAL file(s) added, 0 removed, 1 recycled", d.IntN(4000)))
	metadata = fmt.Sprintf(`{"host":"db-%s","parsed":{"backend_type":"client backend","command_tag":"%s","connection_from":"127.0.0.1:%d",`+
		`"database_name":"postgres","error_severity":"%s","process_id":%d,"session_id":"%s.%s","session_line_num":%d,`+
		`"session_start_time":"%s","sql_state_code":"%s","timestamp":"%s","user_name":"authenticator",`+
		`"virtual_transaction_id":"%d/%d"}}`,
		d.project, oneOf(d.Rand, "SELECT", "authentication", "INSERT", "UPDATE"), 32768+d.IntN(20000), severity, 1000+d.IntN(30000), d.hex(8), d.hex(4), d.IntN(5000),
		d.time.Format("2006-01-02 15:04:05 UTC"), oneOf(d.Rand, "00000", "00000", "42P01", "28P01"), d.time.Format("2006-01-02 15:04:05.000 UTC"), d.IntN(30), d.IntN(10_000_000))
	return message, metadata
}

// function returns one of four functions of the project.
func (d details) function() (id, path string) {
	number := d.IntN(4)
	return fmt.Sprintf("5b0c8f7e-3d1a-4c52-9e64-%s%02d", d.project[:7], number) + d.project[7:],
		[]string{"/heartbeat", "/send-email", "/payment-webhook", "/resize-image"}[number]
}

func functionEdgeEvent(d details) (message, metadata string) {
	id, path := d.function()
	method, status := d.method(), d.status()
	url := fmt.Sprintf("https://%s.functions.example.com%s?time=%d", d.project, path, d.time.UnixMilli())
	message = fmt.Sprintf("%s | %s | %s", method, status, url)
	metadata = fmt.Sprintf(`{"deployment_id":"%s_%s_11","execution_time_ms":%d,"function_id":"%s","project_ref":"%s",`+
		`"request":{"headers":{"accept":"*/*","user_agent":"%s"},"method":"%s","pathname":"%s","url":"%s"},`+
		`"response":{"headers":{"content_length":"%d"},"status_code":%s},"version":"11"}`,
		d.project, id, 5+d.IntN(600), id, d.project, d.agent(), method, path, url, d.IntN(9000), status)
	return message, metadata
}

func functionEvent(d details) (message, metadata string) {
	id, _ := d.function()
	message = oneOf(d.Rand,
		fmt.Sprintf("booted (time: %dms)", 10+d.IntN(90)),
		fmt.Sprintf("sent message %s to user-%s@example.com after %d ms", d.hex(12), d.hex(4), d.IntN(2000)),
		fmt.Sprintf("TypeError: cannot read properties of undefined (reading 'item%d') at handler (file:///src/index.ts:%d:%d)", d.IntN(50), d.IntN(300), d.IntN(80)))
	metadata = fmt.Sprintf(`{"deployment_id":"%s_%s_11","event_type":"%s","execution_id":"%s-%s-4%s-9%s-%s","function_id":"%s",`+
		`"level":"%s","project_ref":"%s","region":"eu-central-1","served_by":"functions-runtime-%d","boot_time":%d,"cpu_time_used":%d,`+
		`"memory_used":{"total":%d,"heap":%d},"timestamp":"%s","version":"11"}`,
		d.project, id, oneOf(d.Rand, "Log", "Boot", "Shutdown"), d.hex(8), d.hex(4), d.hex(3), d.hex(3), d.hex(12), id, d.level(), d.project, d.IntN(40), 10+d.IntN(90), d.IntN(400),
		20_000_000+d.IntN(20_000_000), 8_000_000+d.IntN(8_000_000), d.time.Format(timeLayout))
	return message, metadata
}

func authEvent(d details) (message, metadata string) {
	path, status, level, method := oneOf(d.Rand, "/token", "/user", "/callback", "/signup", "/logout"), d.status(), d.level(), d.method()
	duration, address, request := fmt.Sprintf("%d.%03dms", d.IntN(400), d.IntN(1000)), d.address(), d.hex(16)
	message = fmt.Sprintf(`{"component":"api","duration":"%s","level":"%s","method":"%s","msg":"request completed","path":"%s","remote_addr":"%s","request_id":"%s","status":%s}`,
		duration, level, method, path, address, request, status)
	metadata = fmt.Sprintf(`{"auth_event":{"action":"%s","actor_id":"%s","actor_username":"user-%s@example.com",`+
		`"traits":{"provider":"%s"}},"duration":"%s","host":"db-%s","level":"%s","method":"%s","path":"%s",`+
		`"project":"%s","remote_addr":"%s","request_id":"%s","status":"%s"}`,
		oneOf(d.Rand, "login", "token_refreshed", "user_signedup", "logout"), d.hex(16), d.hex(4), oneOf(d.Rand, "email", "github", "google"),
		duration, d.project, level, method, path, d.project, address, request, status)
	return message, metadata
}

func realtimeEvent(d details) (message, metadata string) {
	message = oneOf(d.Rand,
		fmt.Sprintf("CONNECTED to tenant %s with %d channels", d.project, 1+d.IntN(40)),
		fmt.Sprintf("Subscribing to PostgreSQL failed: {:error, no publication for table %s, retry %d}", d.table(), d.IntN(9)),
		fmt.Sprintf("HANDLE_IN phx_join realtime:public:%s ref %d", d.table(), d.IntN(100_000)))
	metadata = fmt.Sprintf(`{"context":{"application":"realtime","domain":["elixir"],"file":"lib/realtime_web/channels/realtime_channel.ex",`+
		`"function":"handle_info/2","gl":"<0.%d.0>","line":%d,"mfa":["Elixir.RealtimeWeb.RealtimeChannel","handle_info","2"],`+
		`"module":"Elixir.RealtimeWeb.RealtimeChannel","pid":"<0.%d.%d>","time":%d,"vm":{"node":"realtime@10.0.%d.%d"}},`+
		`"external_id":"%s","level":"%s","project":"%s"}`,
		d.IntN(5000), d.IntN(400), d.IntN(9000), d.IntN(90), d.time.UnixMicro(), d.IntN(8), d.IntN(256), d.project, d.level(), d.project)
	return message, metadata
}

func storageEvent(d details) (message, metadata string) {
	method, status, request := d.method(), d.status(), d.hex(16)
	path := fmt.Sprintf("/object/uploads/%s.webp", d.hex(8))
	message = fmt.Sprintf("%s | %s | %s | %s | %s", method, status, d.address(), path, d.agent())
	metadata = fmt.Sprintf(`{"context":{"host":"ip-10-0-%d-%d.eu-central-1.compute.internal","pid":1},"level":"%s","project":"%s",`+
		`"req":{"headers":{"user_agent":"%s"},"path":"%s","region":"eu-central-1"},`+
		`"reqId":"%s-FRA","responseTime":%d.%03d,"tenantId":"%s","type":"request"}`,
		d.IntN(8), d.IntN(256), d.level(), d.project, d.agent(), path, request, d.IntN(300), d.IntN(1000), d.project)
	return message, metadata
}

func postgrestEvent(d details) (message, metadata string) {
	message = oneOf(d.Rand,
		fmt.Sprintf("%s: Attempting to connect to the database, attempt %d", d.time.Format("02/Jan/2006:15:04:05 +0000"), 1+d.IntN(20)),
		fmt.Sprintf("%s: Schema cache queried in %d.%d milliseconds", d.time.Format("02/Jan/2006:15:04:05 +0000"), d.IntN(90), d.IntN(10)))
	return message, fmt.Sprintf(`{"host":"db-%s"}`, d.project)
}

func pgbouncerEvent(d details) (message, metadata string) {
	message = oneOf(d.Rand,
		fmt.Sprintf("C-0x%s: postgres/pgbouncer@127.0.0.1:%d closing because: client close request (age=%ds)", d.hex(12), 32768+d.IntN(20000), d.IntN(600)),
		fmt.Sprintf("stats: %d xacts/s, %d queries/s, in %d B/s, out %d B/s, xact %d us, query %d us", d.IntN(100), d.IntN(300), d.IntN(50_000), d.IntN(90_000), d.IntN(5000), d.IntN(3000)))
	return message, fmt.Sprintf(`{"host":"db-%s"}`, d.project)
}
