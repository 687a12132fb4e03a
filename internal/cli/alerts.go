package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"savedq/internal/alert"
	"savedq/sqlq"
)

// tableFormat is the format for people.
const tableFormat = "table"

// alertsCommand is "savedq alerts".
type alertsCommand struct {
	Format string `enum:"${formats}" default:"${format}" placeholder:"FORMAT" help:"Output format: ${enum}. Default: ${default}."`
	serverFlags
}

// Validate implements kong's validation.
func (c *alertsCommand) Validate() error { return c.required() }

// Run lists the alerts of a server that the token may see.
func (c *alertsCommand) Run(ctx context.Context, term *terminal) (err error) {
	client, end := c.client(term)
	defer func() { err = errors.Join(err, end()) }()
	alerts, err := client.Alerts(ctx)
	if err != nil {
		return err
	}
	if len(alerts) == 0 {
		if _, err := fmt.Fprintln(term.stderr, "no alerts: no saved query that the token may run declares one"); err != nil {
			return err
		}
		if c.Format == tableFormat {
			return nil
		}
	}
	return printResult(term.stdout, c.Format, "alerts", alertsResult(alerts))
}

// alertsResult returns a row for each alert.
func alertsResult(alerts []alert.Listed) *sqlq.Result {
	result := &sqlq.Result{Columns: []sqlq.Column{
		{Name: "query", Type: sqlq.String},
		{Name: "name", Type: sqlq.String},
		{Name: "state", Type: sqlq.String},
		{Name: "since", Type: sqlq.Timestamp, Nullable: true},
		{Name: "checked", Type: sqlq.Timestamp, Nullable: true},
		{Name: "condition", Type: sqlq.String},
		{Name: "pending_messages", Type: sqlq.Int64},
		{Name: "error", Type: sqlq.String, Nullable: true},
	}}
	for _, listed := range alerts {
		pending := 0
		for _, target := range listed.Notify {
			pending += target.Pending
		}
		result.Rows = append(result.Rows, []any{
			listed.Query, listed.Name, string(listed.State), timeValue(listed.Since), timeValue(listed.Checked),
			listed.Condition, int64(pending), textValue(listed.Error),
		})
	}
	return result
}

// timeValue returns a time as a value of a row.
func timeValue(at *time.Time) any {
	if at == nil {
		return nil
	}
	return at.UTC().Truncate(time.Microsecond)
}

// textValue returns a text as a value of a row.
func textValue(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}
