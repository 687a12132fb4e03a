package bigquery

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/option"
)

// EmulatorHostVariable names the environment variable that holds the host and
// port of an emulator of BigQuery, as for Google's own clients.
const EmulatorHostVariable = "BIGQUERY_EMULATOR_HOST"

const (
	// DefaultJobTimeout is shorter than the default query timeout of a server, so
	// that the engine reports why a query ended.
	DefaultJobTimeout = 25 * time.Second
	// DefaultMaxBytesBilled keeps one run of a query below seven US cents at the
	// list price of 6.25 dollars a TiB.
	DefaultMaxBytesBilled = 10 << 30
)

// Config configures where queries run and within which limits.
type Config struct {
	// Project pays for the jobs and holds the dataset.
	Project string
	// Dataset resolves the unqualified table names of saved queries.
	Dataset string
	// Location is where jobs run, such as EU; empty means the location of the
	// dataset.
	Location string
	// MaxBytesBilled makes a job fail, free of charge, that would be billed for
	// more bytes; zero means [DefaultMaxBytesBilled].
	MaxBytesBilled int64
	// JobTimeout bounds a run, from its start to its last row; zero means
	// [DefaultJobTimeout].
	JobTimeout time.Duration
	// Labels are put on every job, besides the one that names the endpoint.
	Labels map[string]string
	// Clock returns the "now" of dry runs, so that they estimate the cost of today's
	// partitions. Runs have their own (D1). It is required.
	Clock func() time.Time
	// Logger receives what callers must not see. It is required.
	Logger *slog.Logger
	// ClientOptions are for tests: they override all other settings.
	ClientOptions []option.ClientOption
}

// checked returns the configuration with its defaults, or an error that lists all mistakes.
func (c Config) checked() (Config, error) {
	var mistakes []error
	if c.Project == "" {
		mistakes = append(mistakes, errors.New("no BigQuery project is named; give --bigquery-project"))
	}
	if c.Dataset == "" {
		mistakes = append(mistakes, errors.New("no BigQuery dataset is named; give --bigquery-dataset"))
	}
	if c.MaxBytesBilled < 0 {
		mistakes = append(mistakes, fmt.Errorf("the limit of %d bytes billed is negative", c.MaxBytesBilled))
	}
	if c.JobTimeout < 0 {
		mistakes = append(mistakes, fmt.Errorf("the job timeout of %s is negative", c.JobTimeout))
	}
	for _, key := range slices.Sorted(maps.Keys(c.Labels)) {
		mistakes = append(mistakes, checkLabel(key, c.Labels[key]))
	}
	if err := errors.Join(mistakes...); err != nil {
		return c, err
	}
	if c.MaxBytesBilled == 0 {
		c.MaxBytesBilled = DefaultMaxBytesBilled
	}
	if c.JobTimeout == 0 {
		c.JobTimeout = DefaultJobTimeout
	}
	c.Labels = maps.Clone(c.Labels)
	return c, nil
}

// clientOptions returns the options of both layers of the SDK. The SDK does not read the
// emulator's variable.
func (c Config) clientOptions() []option.ClientOption {
	options := []option.ClientOption{option.WithScopes(bigquery.Scope)}
	if host := os.Getenv(EmulatorHostVariable); host != "" {
		if !strings.Contains(host, "://") {
			host = "http://" + host
		}
		options = append(options,
			option.WithEndpoint(strings.TrimSuffix(host, "/")+"/bigquery/v2/"),
			option.WithoutAuthentication())
	}
	return append(options, c.ClientOptions...)
}

const (
	// endpointLabel is the label that names the endpoint a job runs for, so that
	// the bill can be split by it.
	endpointLabel = "savedq_endpoint"
	// labelLength is the most characters that a label's key or value may have.
	labelLength = 63
)

// checkLabel returns an error if an operator's label is not valid.
func checkLabel(key, value string) error {
	switch {
	case key == endpointLabel:
		return fmt.Errorf("label %s is set by savedq; choose another key in --bigquery-labels", key)
	case !regexp.MustCompile(`\A[a-z][a-z0-9_-]{0,62}\z`).MatchString(key):
		return fmt.Errorf("label key %q is not 1 to 63 lower-case letters, digits, underscores and dashes that begin with a letter; correct it in --bigquery-labels", key)
	case !regexp.MustCompile(`\A[a-z0-9_-]{0,63}\z`).MatchString(value):
		return fmt.Errorf("value %q of label %s is not at most 63 lower-case letters, digits, underscores and dashes; correct it in --bigquery-labels", value, key)
	}
	return nil
}

// labels returns the labels of a job that runs for the endpoint.
func (c Config) labels(endpoint string) map[string]string {
	labels := map[string]string{endpointLabel: labelValue(endpoint)}
	maps.Copy(labels, c.Labels)
	return labels
}

// labelValue converts a name to a label value: functions.invocation-stats becomes
// functions_invocation-stats.
func labelValue(name string) string {
	value := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		default:
			return '_'
		}
	}, name)
	return value[:min(len(value), labelLength)]
}
