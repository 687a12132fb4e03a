package ingesthttp_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/auth"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logevent"
)

// sendersToken is the token of the senders in these tests.
const sendersToken = "token-of-the-senders"

// newSink returns the address of a server with the paths of the senders, and what it commits.
// arrived receives a value for each committed batch.
func newSink(t *testing.T) (url string, committer *fakeCommitter, arrived <-chan ingest.Batch) {
	t.Helper()
	const mostBatches = 100
	batches := make(chan ingest.Batch, mostBatches)
	committer = &fakeCommitter{}
	observed := &fakeCommitter{commit: func(ctx context.Context, batch ingest.Batch) (ingest.Counts, error) {
		counts, err := committer.Commit(ctx, batch)
		batches <- batch
		return counts, err
	}}
	handlers := newHandlers(observed, func(config *ingesthttp.Config) { config.NewID = uuid.NewString })
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{{Token: auth.FullAccess("senders"), Hash: auth.HashOf(sendersToken)}}, nil
	})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/logs", handlers.JSON)
	mux.Handle("/v1/logs", handlers.OTLP)
	mux.Handle("/logs/syslog", handlers.Syslog)
	mux.Handle("/", protocolsHandler(handlers))
	server := httptest.NewServer(auth.Handler(mux, auth.HandlerConfig{Keyring: keyring, Clock: clock, Logger: discard(), WriteError: handlers.WriteOTLPError}))
	t.Cleanup(server.Close)
	return server.URL, committer, batches
}

// runNode runs a script of the senders until it ends.
func runNode(t *testing.T, script, url string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: node is not installed")
	}
	if _, err := os.Stat("senders/node_modules/pino-logflare"); err != nil {
		t.Skip("SKIPPED: run \"npm ci --ignore-scripts\" in internal/api/ingesthttp/senders first")
	}
	command := exec.CommandContext(t.Context(), node, script, url)
	command.Dir, command.Env = "senders", append(os.Environ(), "SAVEDQ_TOKEN="+sendersToken)
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	assert.NotContains(t, string(output), "failed")
}

// pino with pino-logflare posts to /logs?source_name=… with message instead of event_message
// and timestamps in milliseconds (D35).
func TestPinoLogflare(t *testing.T) {
	t.Parallel()
	url, committer, _ := newSink(t)
	began := time.Now()
	runNode(t, "pino.js", url)
	events := committer.events()
	require.GreaterOrEqual(t, len(events), 2, "at its end, pino-logflare may send its last batch twice")
	assert.Equal(t, "function_logs", events[0].Source.Name)
	assert.Equal(t, "started", *events[0].EventMessage)
	assert.Contains(t, string(events[0].Metadata), `"project_ref":"acme"`)
	assert.Contains(t, string(events[0].Metadata), `"level":"info"`)
	assert.WithinDuration(t, began, events[0].Timestamp, 5*time.Minute)
	assert.Equal(t, "broken", *events[1].EventMessage)
	assert.Contains(t, string(events[1].Metadata), `"level":"error"`)
}

// The exporter of OpenTelemetry for JavaScript sends OTLP in JSON.
func TestOpenTelemetryJavaScript(t *testing.T) {
	t.Parallel()
	url, committer, _ := newSink(t)
	runNode(t, "otlp.js", url)
	events := committer.events()
	require.Len(t, events, 2)
	assert.Equal(t, "function_logs", events[0].Source.Name)
	assert.Equal(t, "uid-1", events[0].ID)
	assert.Equal(t, "acme", *events[0].Project)
	assert.Equal(t, "paid", *events[0].EventMessage)
	assert.Equal(t, time.Date(2026, 11, 22, 9, 0, 0, 123_000_000, time.UTC), events[0].Timestamp)
	for _, want := range []string{`"service.name":"shop"`, `"scope":[{"name":"checkout","version":"1.0.0"}]`, `"severity_text":"INFO"`, `"amount":7,`, `"items":["a","b"]`, `"nested":[{"deep":true}]`} {
		assert.Contains(t, string(events[0].Metadata), want)
	}
	assert.JSONEq(t, `{"event":"refunded","amount":7.5}`, *events[1].EventMessage)
	assert.Contains(t, string(events[1].Metadata), `"body":[{"event":"refunded","amount":7.5}]`)
}

// The exporter of OpenTelemetry for Go sends OTLP in Protobuf. It reports what is rejected.
func TestOpenTelemetryGo(t *testing.T) {
	t.Parallel()
	url, committer, _ := newSink(t)
	for name, test := range map[string]struct {
		source string
		failed bool
	}{"accepted": {"postgres.logs", false}, "rejected": {"nosuch", true}} {
		exporter, err := otlploghttp.New(t.Context(), otlploghttp.WithEndpointURL(url+"/v1/logs"),
			otlploghttp.WithHeaders(map[string]string{"X-API-KEY": sendersToken}), otlploghttp.WithCompression(otlploghttp.GzipCompression))
		require.NoError(t, err)
		attributes := resource.NewSchemaless(attribute.String("source", test.source), attribute.String("project", "acme"))
		batches := &exportErrors{Exporter: exporter}
		provider := sdklog.NewLoggerProvider(sdklog.WithResource(attributes), sdklog.WithProcessor(sdklog.NewSimpleProcessor(batches)))
		record := log.Record{}
		record.SetTimestamp(clock())
		record.SetSeverity(log.SeverityWarn)
		record.SetBody(attribute.StringValue("slow query"))
		record.AddAttributes(attribute.Int("duration_ms", 7), attribute.Map("parsed", attribute.String("command_tag", "SELECT")))
		provider.Logger("go").Emit(t.Context(), record)
		require.NoError(t, provider.Shutdown(t.Context()), name)
		assert.Equal(t, test.failed, batches.err != nil, "%s: %v", name, batches.err)
	}
	events := committer.events()
	require.Len(t, events, 1)
	assert.Equal(t, "postgres_logs", events[0].Source.Name)
	assert.Equal(t, "acme", *events[0].Project)
	assert.Equal(t, "slow query", *events[0].EventMessage)
	assert.Equal(t, clock(), events[0].Timestamp)
	assert.Contains(t, string(events[0].Metadata), `"duration_ms":7,"parsed":[{"command_tag":"SELECT"}]`)
}

// winston-loki sends Protobuf with Snappy to Loki, and pino-loki JSON.
func TestLokiClients(t *testing.T) {
	t.Parallel()
	url, committer, arrived := newSink(t)
	runNode(t, "loki.js", url)
	events := awaitEvents(t, committer, arrived)
	slow := events["slow query"]
	require.NotNil(t, slow.Source, "%v", events)
	assert.Equal(t, "postgres_logs", slow.Source.Name)
	assert.Equal(t, "acme", *slow.Project)
	assert.WithinDuration(t, time.Now(), slow.Timestamp, 5*time.Minute)
	assert.Contains(t, string(slow.Metadata), `"labels":[{"level":"warn","app":"postgres_logs","project":"acme"}]`)
	for message, broken := range events {
		if message == "slow query" {
			continue
		}
		assert.Contains(t, message, "broken")
		assert.Equal(t, "function_logs", broken.Source.Name)
		assert.Equal(t, "p-1", broken.ID)
		assert.Equal(t, "acme", *broken.Project)
		assert.Contains(t, string(broken.Metadata), `"region":"eu"`)
	}
}

// pino-elasticsearch sends with Elastic's client, which refuses servers that do not say that they are Elasticsearch.
func TestElasticsearchClient(t *testing.T) {
	t.Parallel()
	url, committer, arrived := newSink(t)
	runNode(t, "elasticsearch.js", url)
	events := awaitEvents(t, committer, arrived)
	paid := events["paid"]
	assert.Equal(t, "function_logs", paid.Source.Name)
	assert.Equal(t, "acme", *paid.Project)
	assert.WithinDuration(t, time.Now(), paid.Timestamp, 5*time.Minute)
	assert.Contains(t, string(paid.Metadata), `"amount":7`)
	assert.Contains(t, string(events["broken"].Metadata), `"stack":"Error: broken`)
}

// The rsyslog of Debian sends to the bulk API with the documented configuration.
func TestRsyslogElasticsearch(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("rsyslogd")
	modules, _ := filepath.Glob("/usr/lib/*/rsyslog/omelasticsearch.so")
	if err != nil || len(modules) == 0 {
		t.Skip("SKIPPED: rsyslogd or its module omelasticsearch is not installed")
	}
	url, committer, arrived := newSink(t)
	directory := t.TempDir()
	path := func(name string) string { return filepath.Join(directory, name) }
	action := documented(t, "conf", "omelasticsearch")
	action = strings.ReplaceAll(action, "http://127.0.0.1:8080", url)
	action = strings.ReplaceAll(action, "<token>", sendersToken)
	require.NoError(t, os.WriteFile(path("in.log"), []byte("paid \"in full\"\nfailed\n"), 0o600))
	require.NoError(t, os.WriteFile(path("rsyslog.conf"), []byte("global(workDirectory=\""+directory+"\")\n"+
		"module(load=\"imfile\" mode=\"polling\" pollingInterval=\"1\")\n"+
		"input(type=\"imfile\" file=\""+path("in.log")+"\" tag=\"checkout\" facility=\"local4\" severity=\"notice\")\n"+action), 0o600))
	start(t, directory, program, "-n", "-f", "rsyslog.conf", "-i", path("pid"))
	events := awaitEvents(t, committer, arrived)
	paid := events[`paid "in full"`]
	require.NotNil(t, paid.Source, "%v", events)
	assert.Equal(t, "postgres_logs", paid.Source.Name)
	assert.WithinDuration(t, time.Now(), paid.Timestamp, 5*time.Minute)
	assert.Contains(t, string(paid.Metadata), `"severity":"notice"`)
	assert.Contains(t, string(paid.Metadata), `"program":"checkout"`)
	assert.Contains(t, events, "failed")
}

// systemd-journal-upload sends a journal, which systemd-journal-remote has made from its export format. A message can have
// several lines, and a field any bytes.
func TestJournalUpload(t *testing.T) {
	t.Parallel()
	const programs = "/lib/systemd/systemd-journal-"
	for _, program := range []string{programs + "remote", programs + "upload"} {
		if _, err := os.Stat(program); err != nil {
			t.Skip("SKIPPED: " + program + " is not installed")
		}
	}
	url, committer, arrived := newSink(t)
	directory := t.TempDir()
	journal := filepath.Join(directory, "x.journal")
	entry := func(microseconds, message string) string {
		length := binary.LittleEndian.AppendUint64(nil, uint64(len(message)))
		return "__REALTIME_TIMESTAMP=" + microseconds + "\n__MONOTONIC_TIMESTAMP=1\n_BOOT_ID=0123456789abcdef0123456789abcdef\n" +
			"MESSAGE\n" + string(length) + message + "\nPRIORITY=3\n_HOSTNAME=web-1\nPROJECT=acme\nBLOB\n\x02\x00\x00\x00\x00\x00\x00\x00\x00\xff\n\n"
	}
	remote := exec.CommandContext(t.Context(), programs+"remote", "--split-mode=none", "--output="+journal, "-")
	remote.Stdin = strings.NewReader(entry("1795258675123456", "paid = \"in full\"") + entry("1795258676000000", "failed\n\tDETAIL: no such user"))
	output, err := remote.CombinedOutput()
	require.NoError(t, err, string(output))
	address := strings.Replace(url, "http://", "http://savedq:"+sendersToken+"@", 1) + "/journald/postgres_logs"
	upload := exec.CommandContext(t.Context(), programs+"upload", "--follow=no", "--url="+address, "--file="+journal, "--save-state="+filepath.Join(directory, "state"))
	output, err = upload.CombinedOutput()
	require.NoError(t, err, string(output))
	events := awaitEvents(t, committer, arrived)
	paid := events[`paid = "in full"`]
	require.NotNil(t, paid.Source, "%v", events)
	assert.Equal(t, "postgres_logs", paid.Source.Name)
	assert.Equal(t, "acme", *paid.Project)
	assert.Equal(t, time.Date(2026, 11, 21, 10, 57, 55, 123_456_000, time.UTC), paid.Timestamp)
	assert.Contains(t, paid.ID, ";i=1;", "the cursor")
	for _, want := range []string{`"level":"error"`, `"_HOSTNAME":"web-1"`, `"BLOB":"AP8="`} {
		assert.Contains(t, string(paid.Metadata), want)
	}
	assert.Contains(t, events, "failed\n\tDETAIL: no such user")
}

// exportErrors keeps the error of an export.
type exportErrors struct {
	sdklog.Exporter

	err error
}

func (e *exportErrors) Export(ctx context.Context, records []sdklog.Record) error {
	e.err = e.Exporter.Export(ctx, records)
	return e.err
}

// documented returns the block of a language in the documentation that contains a text.
func documented(t *testing.T, language, part string) string {
	t.Helper()
	for _, page := range []string{"ingest.md", "shippers.md"} {
		markdown, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", page))
		require.NoError(t, err)
		for _, block := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(markdown), -1) {
			if strings.Contains(block[1], part) {
				return block[1]
			}
		}
	}
	require.Fail(t, "the documentation has no such block", part)
	return ""
}

// start runs a program in a directory of its own until the test ends.
func start(t *testing.T, directory, program string, arguments ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir, command.Env = directory, append(os.Environ(), "SAVEDQ_TOKEN="+sendersToken)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 10 * time.Second
	output := &strings.Builder{}
	command.Stdout, command.Stderr = output, output
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		stop()
		_ = command.Wait()
		if t.Failed() {
			t.Log(output.String())
		}
	})
}

// awaitEvents waits until two events have arrived, and returns them by their messages.
func awaitEvents(t *testing.T, committer *fakeCommitter, arrived <-chan ingest.Batch) map[string]logevent.Sourced {
	t.Helper()
	for len(committer.events()) < 2 {
		select {
		case batch := <-arrived:
			require.Empty(t, batch.Rejected)
		case <-time.After(time.Minute):
			require.Fail(t, "no events arrive")
		}
	}
	events := make(map[string]logevent.Sourced)
	for _, event := range committer.events() {
		events[*event.EventMessage] = event
	}
	return events
}

// syslog-ng sends with the documented configuration. A message can have several lines.
func TestSyslogNG(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("syslog-ng")
	if err != nil {
		t.Skip("SKIPPED: syslog-ng is not installed")
	}
	url, committer, arrived := newSink(t)
	directory := t.TempDir()
	address := filepath.Join(directory, "in.sock")
	require.NoError(t, os.WriteFile(filepath.Join(directory, "syslog-ng.conf"), []byte("@version: 3.38\noptions { stats-freq(0); keep-hostname(yes); };\n"+
		"source s_socket { unix-dgram(\""+address+"\" flags(syslog-protocol)); };\n"+
		strings.ReplaceAll(documented(t, "conf", "d_savedq"), "http://127.0.0.1:8080", url)+
		"log { source(s_socket); destination(d_savedq); };\n"), 0o600))
	start(t, directory, program, "--foreground", "--no-caps", "--cfgfile", "syslog-ng.conf", "--persist-file", "persist",
		"--pidfile", filepath.Join(directory, "pid"), "--control", filepath.Join(directory, "control"))
	var sender net.Conn
	require.Eventually(t, func() bool {
		sender, err = net.Dial("unixgram", address)
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	defer func() { assert.NoError(t, sender.Close()) }()
	for _, message := range []string{
		"<165>1 2026-11-22T09:00:00Z web-1 checkout 123 ID47 [savedq@32473 project=\"acme\"] paid \"in full\"",
		"<34>1 2026-11-22T09:00:01Z web-1 su - - - failed\n\tDETAIL: no such user",
	} {
		_, err := sender.Write([]byte(message))
		require.NoError(t, err)
	}
	events := awaitEvents(t, committer, arrived)
	paid := events[`paid "in full"`]
	assert.Equal(t, "postgres_logs", paid.Source.Name)
	assert.Equal(t, time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC), paid.Timestamp)
	require.NotNil(t, paid.Project)
	assert.Equal(t, "acme", *paid.Project)
	for _, want := range []string{`"facility":"local4"`, `"severity":"notice"`, `"program":"checkout"`, `"process_id":"123"`, `"message_id":"ID47"`, `"host":"web-1"`} {
		assert.Contains(t, string(paid.Metadata), want)
	}
	assert.Contains(t, string(events["failed\n\tDETAIL: no such user"].Metadata), `"severity":"crit"`)
}

// The program for rsyslog confirms a line that will never be accepted, so that the lines after it are sent, and
// no other line that is not stored.
func TestRsyslogProgram(t *testing.T) {
	t.Parallel()
	statuses := []int{200, 422, 413, 400, 401, 403, 408, 429, 503, 200}
	received := make(chan string, len(statuses))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(statuses[len(received)])
		received <- string(body)
	}))
	defer server.Close()
	script := strings.ReplaceAll(documented(t, "bash", "curl"), "http://127.0.0.1:8080", server.URL)
	command := exec.CommandContext(t.Context(), "bash", "-c", script)
	command.Stdin = strings.NewReader(strings.Repeat("a line with \\ and \"\n", len(statuses)))
	output, err := command.Output()
	require.NoError(t, err)
	assert.Equal(t, "OK\nOK\nOK\nOK\nthe status is 400\nthe status is 401\nthe status is 403\nthe status is 408\nthe status is 429\nthe status is 503\nOK\n", string(output))
	assert.Equal(t, "a line with \\ and \"\n", <-received)
}

// The rsyslog of Debian sends with the documented configuration for omprog, and with the JSON
// of omhttp's default template.
func TestRsyslog(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("rsyslogd")
	if err != nil {
		t.Skip("SKIPPED: rsyslogd is not installed")
	}
	const standardJSON = `template(name="StdJSONFmt" type="string" string="{\"message\":\"%msg:::json%\",\"fromhost\":\"%HOSTNAME:::json%\",\"facility\":\"%syslogfacility-text%\",` +
		`\"priority\":\"%syslogpriority-text%\",\"timereported\":\"%timereported:::date-rfc3339%\",\"timegenerated\":\"%timegenerated:::date-rfc3339%\"}\n")` + "\n"
	for name, change := range map[string]struct{ before, template string }{
		"lines": {"", "RSYSLOG_SyslogProtocol23Format"},
		"JSON":  {standardJSON, "StdJSONFmt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, committer, arrived := newSink(t)
			directory := t.TempDir()
			write := func(name, content string, mode os.FileMode) string {
				path := filepath.Join(directory, name)
				require.NoError(t, os.WriteFile(path, []byte(content), mode))
				return path
			}
			const executable = 0o700
			script := write("savedq-send", strings.ReplaceAll(documented(t, "bash", "curl"), "http://127.0.0.1:8080", url), executable)
			action := strings.ReplaceAll(documented(t, "conf", "omprog"), "/usr/local/bin/savedq-send", script)
			action = strings.ReplaceAll(action, "RSYSLOG_SyslogProtocol23Format", change.template)
			write("in.log", "", 0o600)
			configuration := write("rsyslog.conf", "global(workDirectory=\""+directory+"\")\n"+
				"module(load=\"omprog\")\nmodule(load=\"imfile\" mode=\"polling\" pollingInterval=\"1\")\n"+change.before+
				"input(type=\"imfile\" file=\""+filepath.Join(directory, "in.log")+"\" tag=\"checkout\" facility=\"local4\" severity=\"notice\" ruleset=\"send\")\n"+
				"ruleset(name=\"send\") {\n"+strings.Replace(action, "module(load=\"omprog\")", "", 1)+"}\n", 0o600)
			write("in.log", "paid \"in full\"\nfailed\n", 0o600)
			start(t, directory, program, "-n", "-f", configuration, "-i", filepath.Join(directory, "pid"))
			events := awaitEvents(t, committer, arrived)
			paid := events[`paid "in full"`]
			assert.Equal(t, "postgres_logs", paid.Source.Name)
			assert.WithinDuration(t, time.Now(), paid.Timestamp, 5*time.Minute)
			assert.Contains(t, string(paid.Metadata), `"facility":"local4"`)
			assert.Contains(t, string(paid.Metadata), `"severity":"notice"`)
			assert.Contains(t, events, "failed")
		})
	}
}
