package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runCommand runs a command and returns its exit status and output.
func runCommand(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	status = Run(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

// newTestParser returns a parser of the command line that fills the commands.
func newTestParser(t *testing.T, parsed *commands, getenv func(name string) string) *kong.Kong {
	t.Helper()
	parser, err := newParser(parsed, newEnvironment(getenv))
	require.NoError(t, err)
	return parser
}

// A flag that other programs have is answered with the one that does the same here.
func TestFlagsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"serve --port=9090":    `unknown flag --port, did you mean "--addr", as in --addr=127.0.0.1:8080?`,
		"serve --listen :9090": `unknown flag --listen, did you mean "--addr", as in --addr=127.0.0.1:8080?`,
		"serve --db x":         `unknown flag --db, did you mean "--data", as in --data=./data?`,
		"load --db x":          `unknown flag --db, did you mean "--data", as in --data=./data?`,
		"serve --sql x":        `unknown flag --sql, did you mean "--queries", as in --queries=DIR?`,
		"serve --adr x":        `unknown flag --adr, did you mean "--addr"?`,
		"token new --port=1":   "unknown flag --port\n",
		"sreve":                `unexpected argument sreve, did you mean "serve"?`,
	} {
		status, _, stderr := runCommand(t, strings.Fields(args)...)
		assert.Equal(t, statusUsage, status, args)
		assert.Contains(t, stderr, "savedq: "+want, args)
		assert.Contains(t, stderr, "--help\" for help.", args)
	}
}

// Wrong flags are mistakes before anything is opened.
func TestWrongFlags(t *testing.T) {
	t.Parallel()
	file := writeFile(t, filepath.Join(t.TempDir(), "notify.yaml"), "targets: {}\n")
	require.NoError(t, os.Chmod(file, 0o622))
	parser := newTestParser(t, &commands{}, func(string) string { return "" })
	for args, want := range map[string]string{
		// access
		"serve --no-auth --tokens=x":                       "--no-auth: cannot be combined with --tokens; use one of them",
		"serve --tokens=savedq_" + strings.Repeat("a", 43): "--tokens: the value is a token, not a file of tokens; put a token into the variable SAVEDQ_TOKEN",
		"serve --cors-origins=*":                           `--cors-origins: "*" is not an origin such as https://app.example.com`,
		"serve --cors-origins=https://app.example.com/":    `--cors-origins: "https://app.example.com/" is not an origin`,
		"serve --cors-origins=app.example.com":             `--cors-origins: "app.example.com" is not an origin`,
		"serve --cors-origins=ftp://app.example.com":       `--cors-origins: "ftp://app.example.com" is not an origin`,
		"serve --metrics-addr=:9 --addr=:9":                "--metrics-addr: :9 is the address of --addr, which serves the metrics behind a token without this flag; choose another port",
		"serve --metrics-addr=nine":                        `--metrics-addr: "nine" is not an address such as 127.0.0.1:8080`,
		"serve --watch":                                    "--watch: there is nothing to watch; add --queries DIR",
		"serve --drain=0s":                                 "--drain: must be at least 1ms, not 0s",
		"serve --max-requests=0":                           "--max-requests: must be at least 1, not 0",
		"serve --log-level=loud":                           `--log-level: "loud" is not a level; use debug, info, warn or error`,
		"serve --dev=maybe":                                `--dev: bool value must be true, 1, yes, false, 0 or no but got "maybe"`,
		"token new --name":                                 "--name: expected string value",
		"load --parallel":                                  "--parallel: expected int value",
		"serve --query-timeout=5":                          `--query-timeout: "5" is not a duration such as 30s, 5m or 7d`,
		"serve --tokens=/nosuch":                           `--tokens: /nosuch does not exist; "savedq token new" creates its entries`,
		"serve --tokens=/":                                 "--tokens: / cannot be used: it is a directory; name the file in it",
		"serve --tokens=/dev/null":                         "--tokens: /dev/null cannot be used: it is not a regular file but a pipe, a socket or a device; write its content to a file",
		"serve --no-auth --jwt=x":                          "--no-auth: cannot be combined with --jwt; use one of them",
		"serve --jwt=/nosuch":                              "--jwt: /nosuch does not exist; docs/frontend-tokens.md shows one",
		"serve --jwt=/dev/null":                            "--jwt: /dev/null cannot be used: it is not a regular file",
		"serve --jwt=eyJhbGciOiJIUzI1NiJ9.e30.c2ln":        "--jwt: the value is a token, not a file of issuers",
		"serve --addr=127.0.0.1:99999":                     "--addr: 127.0.0.1:99999: the port must be 0 to 65535\n",
		"serve --metrics-addr=127.0.0.1:-1":                "--metrics-addr: 127.0.0.1:-1: the port must be 0 to 65535\n",
		"serve --max-requests=abc":                         `--max-requests: expected a valid 64 bit int but got "abc"`,
		"serve --max-requests=99999999999999999999":        `--max-requests: expected a valid 64 bit int but got "99999999999999999999"`,
		"serve --max-requests -5":                          `--max-requests: expected int value but got "-5" (short flag); perhaps try --max-requests="-5"?`,
		"serve --drain -5s":                                `--drain: expected duration value but got "-5s"`,
		"sever":                                            `did you mean "serve"?`,
		"nosuch":                                           "unexpected argument nosuch\n",
		"serve --log-format=xml":                           `--log-format must be one of "auto","json","text" but got "xml"`,
		"serve --max-event=13MiB":                          "--max-event: 13 MiB is not a size from 1 KiB to 12 MiB",
		"serve --max-event=1023":                           "--max-event: 1023 B is not a size from 1 KiB to 12 MiB",
		"serve --vercel-verify=ä":                          `--vercel-verify: "ä" is not a key as Vercel shows it, of printable characters without spaces`,
		// the cache and the queue
		"serve --cache-bytes=much":       `--cache-bytes: "much" is not a size such as 10GiB`,
		"serve --stale-if-error=-1s":     "--stale-if-error: must be at least 0s, not -1s",
		"serve --warm-concurrency=-1":    "--warm-concurrency: must be at least 0, not -1",
		"serve --engine-concurrency=0":   "--engine-concurrency: must be at least 1, not 0",
		"serve --queue-length=0":         "--queue-length: must be at least 1, not 0",
		"serve --queue-target=0s":        "--queue-target: must be at least 1ms, not 0s",
		"serve --queue-timeout=0s":       "--queue-timeout: must be at least 1ms, not 0s",
		"serve --engine-concurrency=two": `--engine-concurrency: expected a valid 64 bit int but got "two"`,
		// connections and shutdown
		"serve --max-connections=-1":            "--max-connections: must be at least 0, not -1",
		"serve --max-connections-per-client=-1": "--max-connections-per-client: must be at least 0, not -1",
		"serve --max-connections=many":          `--max-connections: expected a valid 64 bit int but got "many"`,
		"serve --shutdown-delay=-1s":            "--shutdown-delay: must be at least 0s, not -1s",
		"serve --shutdown-delay=10":             `--shutdown-delay: "10" is not a duration such as 30s, 5m or 7d`,
		// GraphQL
		"serve --graphql-max-body=0":        "--graphql-max-body: must be at least 1, not 0",
		"serve --graphql-max-tokens=0":      "--graphql-max-tokens: must be at least 1, not 0",
		"serve --graphql-max-selections=0":  "--graphql-max-selections: must be at least 1, not 0",
		"serve --graphql-max-depth=0":       "--graphql-max-depth: must be at least 1, not 0",
		"serve --graphql-max-root-fields=0": "--graphql-max-root-fields: must be at least 1, not 0",
		"serve --graphql-max-aliases=0":     "--graphql-max-aliases: must be at least 1, not 0",
		"serve --graphql-max-complexity=0":  "--graphql-max-complexity: must be at least 1, not 0",
		"serve --trusted-documents=nosuch":  "--trusted-documents: nosuch is not a directory or a manifest\n",
		// alerts
		"serve --notify=nosuch":             "--notify: nosuch does not exist; docs/alerts.md shows one",
		"serve --notify=" + file:            "others can write to it",
		"serve --public-url=example.com":    `--public-url: "example.com" is not the address of a server`,
		"serve --public-url=http://a/?b=c":  "is not the address of a server",
		"serve --public-url=ftp://a.exa/mp": "is not the address of a server",
		// engines
		"serve --engine=bigquery":                         "--bigquery-project: is required with --engine bigquery",
		"check --engine=bigquery --bigquery-project=p":    "--bigquery-dataset: is required with --engine bigquery",
		"serve --engine=bigquery --max-bytes-billed=much": `--max-bytes-billed: "much" is not a size such as 10GiB`,
		"query --engine=bigquery --bigquery-project=p --bigquery-dataset=d --bigquery-job-timeout=1ms logs.all": "--bigquery-job-timeout: must be at least 1s, not 1ms",
		"serve --engine=bigquery --bigquery-project=p --bigquery-dataset=d --query-timeout=20s":                 "--query-timeout: 20s must be longer than --bigquery-job-timeout, 25s",
		"serve --engine=clickhouse --clickhouse-addr=h:8123 --demo":                                             "--demo: demo logs are for the embedded store, not for --engine clickhouse",
		"serve --engine=clickhouse --clickhouse-addr=h:8123 --query-timeout=20s":                                "--query-timeout: 20s must be longer than --clickhouse-timeout, 25s",
		"serve --engine=clickhouse --clickhouse-addr=h:8123 --retention=1h":                                     "--retention and --retention-file delete events of the embedded store; with ClickHouse, set the TTL of its tables",
		"serve --engine=clickhouse --clickhouse-dsn-file=x --clickhouse-user=u":                                 "--clickhouse-user: cannot be combined with --clickhouse-dsn-file; use one of them",
		"serve --engine=clickhouse --clickhouse-addr=h:8123 --clickhouse-ca-file=x":                             "--clickhouse-ca-file: needs --clickhouse-tls",
		"clickhouse schema --retention=1s":                                                                      "--retention: must be at least 1m, or 0, not 1s",
		"serve --clickhouse-addr=h:8123":                                                                        "--clickhouse-addr: needs --engine clickhouse",
		"query logs.all --engine=clickhouse --clickhouse-addr=h:8123 --clickhouse-max-bytes=0":                  "--clickhouse-max-bytes: must be at least 1B, not 0",
		"serve --engine=bigquery --bigquery-project=p --bigquery-dataset=d --demo":                              "--demo: demo logs are for the embedded store, not for --engine bigquery",
		"serve --duckdb-memory=plenty":                                                                          `--duckdb-memory: "plenty" is not a size such as 10GiB`,
		"serve --duckdb-memory=-1":                                                                              `--duckdb-memory: "-1" is not a size such as 10GiB`,
		"serve --duckdb-memory=0":                                                                               "--duckdb-memory: must be at least 64MiB",
		"serve --duckdb-memory=63MiB":                                                                           "--duckdb-memory: must be at least 64MiB",
		"serve --duckdb-spill=plenty":                                                                           `--duckdb-spill: "plenty" is not a size such as 10GiB`,
		"serve --duckdb-spill=-1":                                                                               `--duckdb-spill: "-1" is not a size such as 10GiB`,
		// the store
		"store stats --url=localhost:8080":             `--url: "localhost:8080" is not the address of a server, such as http://127.0.0.1:8080`,
		"store stats --url=ftp://x":                    `--url: "ftp://x" is not the address of a server`,
		"store stats --url=http://x/?query=a":          `--url: "http://x/?query=a" is not the address of a server`,
		"store stats --data=":                          "--data: must not be empty",
		"store stats --format=xml":                     `--format must be one of "table","json","ndjson","csv","parquet","arrow","prometheus" but got "xml"`,
		"store delete --project=":                      "--project: must not be empty\n",
		"store delete --project=p --before=yesterday":  `--before: "yesterday" is not an ISO 8601 timestamp; use for example 2026-11-20T10:00:00Z`,
		"store delete --project=p --before=":           "--before: must not be empty; leave the flag out for its default",
		"store delete --project=p --before=0001-01-01": "--before: 0001-01-01T00:00:00Z is earlier than every event; name a later time, or leave it out to delete all events",
		"store delete --project=p --source=":           "--source: must not be empty; leave the flag out for its default",
		"store rejected --since=":                      "--since: must not be empty; leave the flag out for its default",
		"store rejected --source=":                     "--source: must not be empty; leave the flag out for its default",
		"store rejected --since=1h":                    `--since: "1h" is not an ISO 8601 timestamp`,
		"store rejected --limit=-1":                    "--limit: must be at least 0, not -1",
		"store rejected --limit -1":                    `--limit: expected int value but got "-1" (short flag); perhaps try --limit="-1"?`,
		"store backup store.go":                        "store.go is a file; choose a directory\n",
		"usage --url=http://x --by=tokn":               `--by: "tokn" is not one of day, token, subject, endpoint`,
		"usage --url=http://x --from=yesterday":        `--from: "yesterday" is not a date; use for example 2026-11-20`,
		"usage":                                        "--url: is required; name the running server, such as http://127.0.0.1:8080",
		"token list":                                   "missing flags: --tokens=FILE",
		"token new --name=a --data=x":                  "--data",
		"store foo":                                    "unexpected argument foo\n",
		"store rejected --limit=many":                  `--limit: expected a valid 64 bit int but got "many"`,
		// load
		"load --source=edge_logs load.go --max-event=plenty":             `--max-event: "plenty" is not a size such as 10GiB`,
		"load --source=edge_logs load.go --max-event=0":                  "--max-event: 0 B is not a size from 1 KiB to 16 MiB",
		"load --source=edge_logs load.go --max-event=1023":               "--max-event: 1023 B is not a size from 1 KiB to 16 MiB",
		"load --source=edge_logs load.go --max-event=1GiB":               "--max-event: 1 GiB is not a size from 1 KiB to 16 MiB",
		"load --source=edge_logs load.go --to=localhost:8080":            `--to: "localhost:8080" is not the address of a server, such as http://127.0.0.1:8080`,
		"load --source=edge_logs load.go --to=http://":                   `--to: "http://" is not the address of a server`,
		"load --source=edge_logs load.go --to=ftp://host":                `--to: "ftp://host" is not the address of a server`,
		"load --source=edge_logs load.go --to=http://host/?a=b":          `--to: "http://host/?a=b" is not the address of a server`,
		"load --source=edge_logs load.go --to=http://host/%zz":           `--to: "http://host/%zz" is not the address of a server`,
		"load --source=edge_logs load.go --to=http://user:secret@host":   "--to: the URL must have no user or password; set the variable SAVEDQ_TOKEN to the token",
		"load --source=edge_logs load.go --to=http://host --parallel=0":  "--parallel: 0 is not a number from 1 to 64",
		"load --source=edge_logs load.go --to=http://host --parallel=65": "--parallel: 65 is not a number from 1 to 64",
		"load --source=edge_logs load.go --parallel=many":                `--parallel: expected a valid 64 bit int but got "many"`,
		"load --source=edge_logs load.go none.ndjson":                    "none.ndjson does not exist\n",
		"load --source=edge_logs load.go load.go/none.ndjson":            "load.go/none.ndjson cannot be read: ",
		"load --source=edge_logs load.go - -":                            "-: the standard input can be read only once",
		// health
		"health --addr=127.0.0.1":             `--addr: "127.0.0.1" is not an address such as 127.0.0.1:8080`,
		"health --addr=127.0.0.1:":            `--addr: "127.0.0.1:" is not an address`,
		"health --addr=127.0.0.1:0":           `--addr: "127.0.0.1:0" is not an address`,
		"health --addr=http://127.0.0.1:8080": `--addr: "http://127.0.0.1:8080" is not an address`,
		"health --addr=a/b:8080":              `--addr: "a/b:8080" is not an address`,
		"health --addr=me@host:8080":          `--addr: "me@host:8080" is not an address`,
		"health --timeout=0s":                 "--timeout: must be at least 1ms, not 0s",
		"health --timeout=-1s":                "--timeout: must be at least 1ms, not -1s",
		// other commands
		"purge":                       "--url: is required; name the running server, such as http://127.0.0.1:8080",
		"purge --url=a":               `--url: "a" is not the address of a server, such as http://127.0.0.1:8080`,
		"purge --url= --query":        "--query",
		"query logs.all --format xml": `--format must be one of "table","json","ndjson","csv","parquet","arrow","prometheus" but got "xml"`,
		"store backup x --keep=0":     "--keep: must be at least 1, not 0",
		"store backup x --keep=-1":    "--keep: must be at least 1, not -1",
		"store backup x --keep=x":     "--keep",
		"serve --memory=much":         `--memory: "much" is not a size such as 10GiB`,
		// an empty value, as an unset variable of a shell gives, does not turn a flag off silently
		"serve --tokens=":                                 "--tokens: must not be empty; leave the flag out for its default\n",
		"serve --jwt=":                                    "--jwt: must not be empty; leave the flag out for its default\n",
		"serve --retention-file=":                         "--retention-file: must not be empty; leave the flag out for its default\n",
		"serve --queries=":                                "--queries: must not be empty; leave the flag out for its default\n",
		"serve --trusted-documents=":                      "--trusted-documents: must not be empty; leave the flag out for its default\n",
		"serve --vercel-verify=":                          "--vercel-verify: must not be empty; leave the flag out for its default\n",
		"serve --data=":                                   "--data: must not be empty; leave the flag out for its default\n",
		"serve --tokens= --jwt=":                          "--tokens: must not be empty; leave the flag out for its default\n--jwt: must not be empty; leave the flag out for its default\n",
		"load --source=edge_logs given.go --to=":          "--to: must not be empty; leave the flag out for its default\n",
		"store stats --url=":                              "--url: must not be empty; leave the flag out for its default\n",
		"store delete --project=acme --before=":           "--before: must not be empty; leave the flag out for its default\n",
		"check --against=":                                "--against: must not be empty; leave the flag out for its default\n",
		"new mine --queries=. --sql=":                     "--sql: must not be empty; leave the flag out for its default\n",
		"token new --name=chart --project-tier=":          "--project-tier: must not be empty; leave the flag out for its default\n",
		"token new --name=chart --expires=":               "--expires: must not be empty; leave the flag out for its default\n",
		"token new --name=chart --ingest --sources=":      "--sources: must not be empty; leave the flag out for its default\n",
		"token new --name=chart --projects= --endpoints=": "--projects: must not be empty; leave the flag out for its default\n--endpoints: must not be empty; leave the flag out for its default\n",
		"serve --format=table":                            "unknown flag --format",
		"endpoints --queries=. --queries= --engine=no":    "--engine",
		// a flag that has no effect beside the others
		"load --source=edge_logs given.go --parallel=2":                        "--parallel: needs --to\n",
		"load --source=edge_logs given.go --data=d --to=http://127.0.0.1:1":    "--data: cannot be combined with --to; use one of them\n",
		"store stats --data=d --url=http://127.0.0.1:1":                        "--data: cannot be combined with --url; use one of them\n",
		"store rejected --events --format=csv":                                 "--format: cannot be combined with --events; use one of them\n",
		"serve --bigquery-project=foo":                                         "--bigquery-project: needs --engine bigquery\n",
		"query logs.all --bigquery-dataset=foo --bigquery-location=EU":         "--bigquery-dataset: needs --engine bigquery\n--bigquery-location: needs --engine bigquery\n",
		"serve --engine=bigquery --bigquery-project=p --max-bytes-billed=1GiB": "--bigquery-dataset: is required",
		"serve --max-bytes-billed=1GiB":                                        "--max-bytes-billed: needs --engine bigquery\n",
		"query logs.all --engine=bigquery --duckdb-memory=1GiB":                "--duckdb-memory: needs --engine duckdb\n",
		// retention
		"serve --retention=90":                    `--retention: "90" is not a duration such as 30s, 5m or 7d`,
		"serve --retention=-1d":                   `--retention: "-1d" is not a duration such as 30s, 5m or 7d`,
		"serve --retention=106752d":               `--retention: "106752d" is not a duration such as 30s, 5m or 7d, up to 65535d`,
		"serve --retention=99999999999999999999d": `--retention: "99999999999999999999d" is not a duration such as 30s, 5m or 7d, up to 65535d`,
		"serve --retention=365000000h":            `--retention: "365000000h" is not a duration such as 30s, 5m or 7d, up to 65535d`,
		"serve --retention=-1h":                   "--retention: -1h0m0s is shorter than 1m0s; use 0 to keep all events",
		"serve --retention=59s":                   "--retention: 59s is shorter than 1m0s; use 0 to keep all events",
		"serve --retention=1h --engine=bigquery --bigquery-project=p --bigquery-dataset=d":     "--retention and --retention-file delete events of the embedded store; with BigQuery, set the expiration",
		"serve --retention-file=x --engine=bigquery --bigquery-project=p --bigquery-dataset=d": "--retention and --retention-file delete events of the embedded store",
	} {
		t.Run(args, func(t *testing.T) {
			_, err := parseArguments(parser, strings.Split(args, " "))
			require.Error(t, err)
			assert.Contains(t, err.Error()+"\n", want)
			assert.NotContains(t, strings.ToLower(err.Error()), "panic")
			assert.NotContains(t, err.Error(), "user:secret")
		})
	}
	_, err := parseArguments(parser, []string{"health", "--addr=:8081", "--alive", "--timeout=1s"})
	require.NoError(t, err)
}

// A mistake in the flags is printed to the standard error, with how to get help.
func TestWrongFlagsArePrinted(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := runCommand(t, "load", "--source=edge_logs", "--to", "", "given.go")
	assert.Equal(t, statusUsage, status)
	assert.Equal(t, "savedq: --to: must not be empty; leave the flag out for its default\nRun \"savedq load --help\" for help.\n", stderr)
	assert.Empty(t, stdout)
	for args, want := range map[string]string{
		"store delete": "missing flags: --project=PROJECT", "token new": "missing flags: --name=NAME", "store backup": `expected "<dir>"`,
	} {
		_, err := newTestParser(t, &commands{}, func(string) string { return "" }).Parse(strings.Fields(args))
		require.ErrorContains(t, err, want)
	}
}
