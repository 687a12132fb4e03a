package cli

import (
	"fmt"
	"time"

	"savedq/sqlq/clickhouse"
)

// clickHouseCommand is "savedq clickhouse".
type clickHouseCommand struct {
	Schema clickHouseSchemaCommand `cmd:"" help:"Print the SQL that creates a table on ClickHouse for each log source."`
}

// clickHouseSchemaCommand is "savedq clickhouse schema".
type clickHouseSchemaCommand struct {
	Cluster    string        `placeholder:"NAME" help:"Cluster on which the tables are created. Default: the server alone."`
	Replicated bool          `help:"Create replicated tables."`
	Retention  time.Duration `default:"0s" placeholder:"DURATION" help:"How long events are kept, such as 90d, unless table.yaml says so. 0 keeps all. Default: ${default}."`
	tablesFlags
}

func (c *clickHouseSchemaCommand) Validate() error {
	if c.Retention != 0 && c.Retention < time.Minute {
		return fmt.Errorf("--retention: must be at least 1m, or 0, not %s", c.Retention)
	}
	return nil
}

// Run prints the statements.
func (c *clickHouseSchemaCommand) Run(term *terminal) error {
	tables, err := c.readSources()
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(term.stdout, clickhouse.Schema(tables, clickhouse.SchemaOptions{Cluster: c.Cluster, Replicated: c.Replicated, Retention: c.Retention}))
	return err
}
