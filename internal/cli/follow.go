package cli

import (
	"fmt"
	"os"
	"time"

	"savedq/internal/engines"
)

// followFlags make a server a standby.
type followFlags struct {
	Follow         string        `placeholder:"DIR" needs:"engine=duckdb" help:"Serve the store in this data directory, which another server writes or which is a copy of one, and take up its changes. Nothing is written there. --data then has only what this server keeps itself: usage, and the state of alerts."`
	FollowInterval time.Duration `default:"1s" min:"100ms" placeholder:"DURATION" needs:"follow" help:"How often to look for changes of the store of --follow. Default: ${default}."`
}

// checkFollow returns an error if a flag writes to the store that is followed.
func (c *serveCommand) checkFollow() error {
	if c.Follow == "" {
		return nil
	}
	for flag, given := range map[string]bool{"--demo": c.Demo, "--retention": c.Retention != 0, "--retention-file": c.RetentionFile != "", "--accept-missing-events": c.AcceptMissingEvents} {
		if given {
			return fmt.Errorf("%s: cannot be combined with --follow, which writes nothing; give it to the server that writes the store", flag)
		}
	}
	followed, err := os.Stat(c.Follow)
	if err != nil {
		return fmt.Errorf("--follow: %w", err)
	}
	if own, err := os.Stat(c.Data); err == nil && os.SameFile(own, followed) {
		return fmt.Errorf("--data: %s is the directory of --follow, in which this server writes nothing; choose another one for its usage and the state of its alerts", c.Data)
	}
	return nil
}

// followed returns the engine on the store that is followed, if there is one.
func (c *serveCommand) followed(engine engines.Engine) engines.Engine {
	if duckDB, ok := engine.(engines.DuckDB); ok && c.Follow != "" {
		duckDB.Follow = c.Follow
		return duckDB
	}
	return engine
}
