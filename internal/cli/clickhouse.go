package cli

import (
	"errors"
	"fmt"
	"time"

	"savedq/internal/engines"
	"savedq/sqlq/clickhouse"
)

// clickHouseFlags configure the engine on ClickHouse.
type clickHouseFlags struct {
	ClickHouseAddr         []string          `name:"clickhouse-addr" placeholder:"HOST:PORT,…" needs:"engine=clickhouse" unless:"clickhouse-dsn-file" help:"ClickHouse: servers, with the port of HTTP such as 8123. The first that answers is used."`
	ClickHouseDatabase     string            `name:"clickhouse-database" default:"default" placeholder:"DATABASE" needs:"engine=clickhouse" unless:"clickhouse-dsn-file" help:"ClickHouse: database of the tables that saved queries name. Default: ${default}."`
	ClickHouseUser         string            `name:"clickhouse-user" default:"default" placeholder:"USER" needs:"engine=clickhouse" unless:"clickhouse-dsn-file" help:"ClickHouse: user. Default: ${default}."`
	ClickHousePasswordFile string            `name:"clickhouse-password-file" placeholder:"FILE" needs:"engine=clickhouse" unless:"clickhouse-dsn-file" help:"ClickHouse: file with the password. Default: the variable CLICKHOUSE_PASSWORD."`
	ClickHouseTLS          bool              `name:"clickhouse-tls" needs:"engine=clickhouse" unless:"clickhouse-dsn-file" help:"ClickHouse: connect with HTTPS, on a port such as 8443."`
	ClickHouseCAFile       string            `name:"clickhouse-ca-file" placeholder:"FILE" needs:"clickhouse-tls" help:"ClickHouse: certificates of authorities in PEM. Default: those of the system."`
	ClickHouseDSNFile      string            `name:"clickhouse-dsn-file" placeholder:"FILE" needs:"engine=clickhouse" help:"ClickHouse: file with a URL such as https://user:password@host:8443/database, instead of the other flags of the connection."`
	ClickHouseOTelLogs     string            `name:"clickhouse-otel-logs" placeholder:"TABLE" needs:"engine=clickhouse" help:"ClickHouse: table of Logflare with the events of all log sources, such as otel_logs_0f1e2d3c. Default: a table for each source."`
	ClickHouseIngest       bool              `name:"clickhouse-ingest" needs:"engine=clickhouse" unless:"clickhouse-otel-logs" help:"ClickHouse: accept events, and add them to the tables that \"savedq clickhouse schema\" prints."`
	ClickHouseLabels       map[string]string `name:"clickhouse-labels" placeholder:"KEY=VALUE;…" needs:"engine=clickhouse" help:"ClickHouse: labels in the log_comment of every query, besides savedq_endpoint."`
	ClickHouseTimeout      time.Duration     `name:"clickhouse-timeout" default:"25s" min:"1s" placeholder:"DURATION" needs:"engine=clickhouse" help:"ClickHouse: longest time that a query may take. Default: ${default}."`
	ClickHouseMaxBytes     byteSize          `name:"clickhouse-max-bytes" default:"10GiB" min:"1B" placeholder:"SIZE" needs:"engine=clickhouse" help:"ClickHouse: most bytes that one run of a saved query may read. Default: ${default}."`
	ClickHouseMaxMemory    byteSize          `name:"clickhouse-max-memory" default:"4GiB" min:"1MiB" placeholder:"SIZE" needs:"engine=clickhouse" help:"ClickHouse: most memory that one run of a saved query may take on the server. Default: ${default}."`
}

// ValidateServe implements engineSetup.
func (f *clickHouseFlags) ValidateServe(serve *serveCommand) error {
	switch {
	case serve.Demo:
		return errors.New("--demo: demo logs are for the embedded store, not for --engine clickhouse")
	case serve.Retention != 0 || serve.RetentionFile != "":
		return errors.New("--retention and --retention-file delete events of the embedded store; with ClickHouse, set the TTL of its tables")
	case serve.QueryTimeout <= f.ClickHouseTimeout:
		return fmt.Errorf("--query-timeout: %s must be longer than --clickhouse-timeout, %s", serve.QueryTimeout, f.ClickHouseTimeout)
	}
	return nil
}

// memory implements engineSetup.
func (f *clickHouseFlags) memory() **byteSize { return nil }

// concurrency implements engineSetup.
func (f *clickHouseFlags) concurrency() int { return mostConcurrency }

// engine implements engineSetup.
func (f *clickHouseFlags) engine() engines.Engine {
	return engines.ClickHouse{
		Config: clickhouse.Config{
			Addresses: f.ClickHouseAddr,
			Database:  f.ClickHouseDatabase,
			User:      f.ClickHouseUser,
			TLS:       f.ClickHouseTLS,
			OTelLogs:  f.ClickHouseOTelLogs,
			Labels:    f.ClickHouseLabels,
			Timeout:   f.ClickHouseTimeout,
			MaxBytes:  int64(f.ClickHouseMaxBytes),
			MaxMemory: int64(f.ClickHouseMaxMemory),
		},
		PasswordFile: f.ClickHousePasswordFile, DSNFile: f.ClickHouseDSNFile, CAFile: f.ClickHouseCAFile,
		Ingest: f.ClickHouseIngest,
	}
}
