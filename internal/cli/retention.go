package cli

import (
	"errors"
	"fmt"
	"time"

	"savedq/internal/logs/upkeep"
	"savedq/sqlq"
)

// retentionFlags configure how long the embedded store keeps events.
type retentionFlags struct {
	Retention     time.Duration `default:"0s" placeholder:"DURATION" help:"How long events are kept, by their timestamps, such as 90d; older ones are deleted. 0 keeps all. Default: ${default}."`
	RetentionFile string        `placeholder:"FILE" help:"YAML file with a line for each source that has another retention than --retention, such as \"auth_logs: 365d\" or \"edge_logs: forever\"; reloaded on SIGHUP."`
}

func (f *retentionFlags) Validate() error {
	if f.Retention != 0 {
		if err := upkeep.CheckRetention(f.Retention); err != nil {
			return fmt.Errorf("--retention: %w; use 0 to keep all events", err)
		}
	}
	return nil
}

// policy returns the policy of the flags and the file.
func (f *retentionFlags) policy(tables sqlq.Tables) (*upkeep.RetentionPolicy, error) {
	policy := &upkeep.RetentionPolicy{Default: f.Retention}
	if f.RetentionFile == "" {
		return policy, nil
	}
	var err error
	if policy.Sources, err = upkeep.ReadRetentionFile(f.RetentionFile, tables, sqlq.ParseDuration); err != nil {
		return nil, fmt.Errorf("--retention-file: %w", err)
	}
	return policy, nil
}

// errNoRetention is the error for flags of the embedded store with another engine.
var errNoRetention = errors.New("--retention and --retention-file delete events of the embedded store; with BigQuery, set the expiration of the partitions of its tables")
