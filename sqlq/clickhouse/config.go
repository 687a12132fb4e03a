package clickhouse

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	clickhouse "github.com/ClickHouse/clickhouse-go/v2"
)

const (
	// DefaultTimeout is shorter than the default query timeout of a server, so that the engine reports why a query ended.
	DefaultTimeout = 25 * time.Second
	// DefaultMaxBytes bounds what one run reads of tables.
	DefaultMaxBytes = 10 << 30
	// DefaultMaxMemory bounds the memory of one run on the server.
	DefaultMaxMemory = 4 << 30
)

// Config configures where queries run and within which limits.
type Config struct {
	// Addresses are hosts with the ports of ClickHouse's HTTP interface. The first that answers is used.
	Addresses []string
	// Database resolves the unqualified table names of saved queries; empty means "default".
	Database string
	// User is a user of ClickHouse, by default "default", with its Password.
	User, Password string
	// TLS encrypts the connections, and checks the server's certificate; CA are the certificates of authorities in PEM,
	// instead of the system's.
	TLS bool
	CA  []byte
	// DSN says all of the above in one URL, which can also have settings; see [ParseDSN]. It excludes them.
	DSN string
	// MaxBytes makes a run fail that reads more bytes; zero means [DefaultMaxBytes].
	MaxBytes int64
	// MaxMemory makes a run fail that takes more memory on the server; zero means [DefaultMaxMemory].
	MaxMemory int64
	// Timeout bounds a run, from its start to its last row; zero means [DefaultTimeout].
	Timeout time.Duration
	// Labels are in the log_comment of every query, besides the one that names the endpoint.
	Labels map[string]string
	// OTelLogs names a table with the events of all log sources; see [Dialect].
	OTelLogs string
	// Clock returns the "now" of checks. It is required.
	Clock func() time.Time
	// Logger receives what callers must not see. It is required.
	Logger *slog.Logger
}

// endpointLabel is the label that names the saved query.
const endpointLabel = "savedq_endpoint"

// checked returns the configuration with its defaults, or an error that lists all mistakes.
func (c Config) checked() (Config, error) {
	var mistakes []error
	for _, address := range c.Addresses {
		mistakes = append(mistakes, checkAddress(address))
	}
	if len(c.Addresses) == 0 && c.DSN == "" {
		mistakes = append(mistakes, errors.New("no ClickHouse server is named; give --clickhouse-addr or --clickhouse-dsn-file"))
	}
	if c.MaxBytes < 0 || c.MaxMemory < 0 || c.Timeout < 0 {
		mistakes = append(mistakes, errors.New("a limit of ClickHouse is negative"))
	}
	if _, taken := c.Labels[endpointLabel]; taken {
		mistakes = append(mistakes, fmt.Errorf("label %s is set by savedq; choose another key in --clickhouse-labels", endpointLabel))
	}
	if err := errors.Join(mistakes...); err != nil {
		return c, err
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	if c.MaxMemory == 0 {
		c.MaxMemory = DefaultMaxMemory
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	c.Labels = maps.Clone(c.Labels)
	return c, nil
}

// nativePorts has ClickHouse's default ports for its native protocol, which savedq does not speak, each with the port for HTTP.
var nativePorts = map[string]string{"9000": "8123", "9440": "8443"} //nolint:gochecknoglobals // It is a constant.

// checkAddress returns an error if an address is not one of ClickHouse's HTTP interface.
func checkAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	number, notNumber := strconv.Atoi(port)
	const mostPort = 65535
	if err != nil || host == "" || notNumber != nil || number < 1 || number > mostPort || strings.Contains(address, "/") {
		return fmt.Errorf("%q is not a host with a port, such as clickhouse.example.com:8123", address)
	}
	if http := nativePorts[port]; http != "" {
		return fmt.Errorf("%s is the port of ClickHouse's native protocol; savedq speaks HTTP, on port %s", address, http)
	}
	return nil
}

// ParseDSN reads a URL such as https://user:password@host1:8443,host2:8443/database?max_threads=4. Errors do not have the
// password.
func ParseDSN(dsn string) (*clickhouse.Options, error) {
	dsn = strings.TrimSpace(dsn)
	scheme, _, found := strings.Cut(dsn, "://")
	switch {
	case !found:
		return nil, errors.New("the DSN of ClickHouse is not a URL such as https://user:password@host:8443/database")
	case scheme == "clickhouse" || scheme == "tcp" || scheme == "native":
		return nil, errors.New("the DSN of ClickHouse begins with " + scheme + "://, for the native protocol; savedq speaks HTTP, so begin it with http:// or https://")
	case scheme == "https" && !strings.Contains(dsn, "secure="):
		separator := "?"
		if strings.Contains(dsn, "?") {
			separator = "&"
		}
		dsn += separator + "secure=true"
	}
	options, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		var ofURL *url.Error
		if errors.As(err, &ofURL) { // its text has the URL
			err = ofURL.Err
		}
		return nil, fmt.Errorf("the DSN of ClickHouse cannot be read: %w", err)
	}
	for _, address := range options.Addr {
		if err := checkAddress(address); err != nil {
			return nil, fmt.Errorf("the DSN of ClickHouse: %w", err)
		}
	}
	return options, nil
}

// dialTimeout bounds an attempt to connect to one address, so that there is time for another one.
const dialTimeout = 5 * time.Second

// options returns what the client is opened with.
func (c Config) options() (*clickhouse.Options, error) {
	if c.DSN != "" {
		options, err := ParseDSN(c.DSN)
		if err != nil {
			return nil, err
		}
		return c.complete(options), nil
	}
	options := &clickhouse.Options{
		Protocol: clickhouse.HTTP, Addr: c.Addresses,
		Auth: clickhouse.Auth{Database: c.Database, Username: c.User, Password: c.Password},
	}
	if c.TLS {
		options.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		if len(c.CA) > 0 {
			options.TLS.RootCAs = x509.NewCertPool()
			if !options.TLS.RootCAs.AppendCertsFromPEM(c.CA) {
				return nil, errors.New("the file of certificates for ClickHouse has none in PEM")
			}
		}
	}
	return c.complete(options), nil
}

// complete sets what no operator decides.
func (c Config) complete(options *clickhouse.Options) *clickhouse.Options {
	const connections = 64 // the queue of the server decides how many queries run
	if options.Auth.Database == "" {
		options.Auth.Database = "default"
	}
	if options.Auth.Username == "" {
		options.Auth.Username = "default"
	}
	options.DialTimeout = dialTimeout
	// The client's own limit of the time until a response begins would end long queries, whose rows come at their end.
	options.ReadTimeout = c.Timeout + dialTimeout
	options.MaxOpenConns, options.MaxIdleConns = connections, connections
	options.TransportFunc = countReads
	return options
}
