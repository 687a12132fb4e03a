package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"savedq/internal/operations/alert"
	"savedq/internal/server"
	"savedq/sqlq"
)

// tableFormat is the format for people.
const tableFormat = "table"

// alertsCommand is "savedq alerts".
type alertsCommand struct {
	Format string `enum:"${formats}" default:"${format}" placeholder:"FORMAT" help:"Output format: ${enum}. Default: ${default}."`
	serverFlags
}

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
		{Name: "silenced_until", Type: sqlq.Timestamp, Nullable: true},
		{Name: "acknowledged", Type: sqlq.Timestamp, Nullable: true},
	}}
	for _, listed := range alerts {
		pending := 0
		for _, target := range listed.Notify {
			pending += target.Pending
		}
		var silencedUntil, acknowledged *time.Time
		if listed.Silence != nil {
			silencedUntil = &listed.Silence.Until
		}
		if listed.Acknowledged != nil {
			acknowledged = &listed.Acknowledged.At
		}
		result.Rows = append(result.Rows, []any{
			listed.Query, listed.Name, string(listed.State), timeValue(listed.Since), timeValue(listed.Checked),
			listed.Condition, int64(pending), textValue(listed.Error), timeValue(silencedUntil), timeValue(acknowledged),
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

// notifyFlag names the file of the targets of alerts.
type notifyFlag struct {
	Notify string `placeholder:"FILE" help:"YAML file of the targets that alerts notify, reloaded on SIGHUP; see docs/alerts.md. Default: nobody is notified."`
}

func (f *notifyFlag) Validate() error {
	return checkSecretFile("--notify", f.Notify, "docs/alerts.md shows one")
}

// mistakes returns the mistakes in the file, and the names of targets in saved queries that it does
// not have.
func (f *notifyFlag) mistakes(queries []*sqlq.SavedQuery) (found sqlq.FileErrors) {
	if f.Notify == "" {
		return nil
	}
	targets, _, err := alert.ReadTargets(f.Notify)
	if errors.As(err, &found) && len(targets) == 0 {
		return found
	}
	return append(found, targets.Mistakes(queries)...)
}

// alertFlags configure alerts.
type alertFlags struct {
	NoAlerts bool `help:"Check no alerts. Of several servers with the same saved queries one checks them, or each sends its messages."`
	notifyFlag
	PublicURL string `name:"public-url" is:"server" placeholder:"URL" help:"Address at which people open the pages, such as https://savedq.example.com, for links in messages of alerts. Default: no links."`
}

// alertConfig returns the configuration of alerts.
func (f *alertFlags) alertConfig() server.AlertConfig {
	return server.AlertConfig{Disabled: f.NoAlerts, Notify: f.Notify, PublicURL: strings.TrimSuffix(f.PublicURL, "/")}
}
