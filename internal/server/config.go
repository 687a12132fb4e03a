package server

import (
	"io"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"savedq/internal/engines"
	"savedq/internal/graphqlhttp"
	"savedq/internal/http/httpserver"
	"savedq/internal/http/origins"
	"savedq/internal/ingesthttp"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/retention"
	"savedq/sqlq/runner"
)

// Config configures a server. The configurations of its parts hold their limits; the server sets
// what it opens.
type Config struct {
	// Address is the address to listen on. MetricsAddress serves the metrics and the probes
	// without a token; if it is empty, Address serves the metrics.
	Address, MetricsAddress string
	// BasePath begins all paths of the server, such as /savedq; empty for none.
	BasePath    string
	MaxRequests int
	Limits      httpserver.Limits
	Connections httpserver.ConnectionLimits
	// Origins are those whose pages may send requests.
	Origins origins.Set

	// Tokens is the file of access tokens, and JWT that of issuers of signed ones; empty for
	// none. NoAuth means that no token is required.
	Tokens, JWT string
	NoAuth      bool
	// Dev shows the causes of errors to callers without limits.
	Dev bool

	// Data is the data directory.
	Data   string
	Engine engines.Engine
	// Queries are the directories of saved queries, and Watch reloads them when they change.
	Queries engines.Directories
	Watch   bool
	// Demo fills an empty store with demo logs and keeps adding live ones.
	Demo bool

	Runner  runner.Config
	GraphQL graphqlhttp.Config
	// TrustedDocuments is the folder of the only documents that are run; empty for any.
	TrustedDocuments string
	Ingest           ingest.Config
	IngestHTTP       ingesthttp.Config
	// Retention is how long the store keeps events. ReadRetention reads it again; nil if it
	// cannot change.
	Retention     *retention.Policy
	ReadRetention func() (*retention.Policy, error)

	// Version names the program.
	Version  string
	Registry *prometheus.Registry
	Logger   *slog.Logger
	// DroppedLogLines returns how many lines of the log were lost.
	DroppedLogLines func() int64
	// Output receives the welcome.
	Output io.Writer
	Clock  func() time.Time
	Getenv func(name string) string
	// RunMore lets more threads run Go at the same time than there are processors.
	RunMore func(threads int)
}
