package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"time"

	"savedq/internal/api/storehttp"
	"savedq/internal/engines"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/internal/server"
	"savedq/sqlq"
)

// storeCommand is "savedq store".
type storeCommand struct {
	Stats     storeStatsCommand     `cmd:"" help:"Show what the store holds: events, bytes, time range and rate of each source."`
	Delete    storeDeleteCommand    `cmd:"" help:"Delete the events of a project, with their records."`
	Backup    storeBackupCommand    `cmd:"" help:"Write a consistent copy of the store, with usage, budgets and states of alerts, of a running server, too."`
	Restore   storeRestoreCommand   `cmd:"" help:"Put back damaged or missing files of a store from a backup, and add the events of chosen days."`
	Export    storeExportCommand    `cmd:"" help:"Write the events of each source and day to a Parquet file for other tools, of the store of a running server, too."`
	Check     storeCheckCommand     `cmd:"" help:"Verify the checksums of all files of the store, or of a backup, and list those that are damaged or missing."`
	Rejected  storeRejectedCommand  `cmd:"" help:"List events that were rejected, with the reasons."`
	DropField storeDropFieldCommand `cmd:"" help:"Remove a field of a log source with its stored values; metadata keeps what they were read from."`
}

// serverFlags name a running server.
type serverFlags struct {
	URL string `name:"url" is:"server" placeholder:"URL" help:"Address of a running server, such as http://127.0.0.1:8080, in place of a store of this machine; its token is in the variable SAVEDQ_TOKEN."`
}

// required is the validation of commands that have no store of this machine in place of a server.
func (f *serverFlags) required() error {
	if f.URL == "" {
		return errors.New("--url: is required; name the running server, such as http://127.0.0.1:8080")
	}
	return nil
}

// client returns a client of the server. Callers must call end.
func (f *serverFlags) client(term *terminal) (client *storehttp.Client, end func() error) {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // It is documented.
	client = &storehttp.Client{HTTP: &http.Client{Transport: transport}, URL: strings.TrimSuffix(f.URL, "/"), Token: term.getenv(server.TokenVariable)}
	return client, func() error { transport.CloseIdleConnections(); return nil }
}

// maintenanceFlags name the store to maintain.
type maintenanceFlags struct {
	serverFlags
	localFlags
}

// localFlags name a store of this machine.
type localFlags struct {
	storeFlags
	memoryFlags
}

// open opens the store, or a client of the server. Callers must call end.
func (f *maintenanceFlags) open(ctx context.Context, term *terminal) (opened upkeep.Maintenance, end func() error, err error) {
	if f.URL != "" {
		client, end := f.client(term)
		return client, end, nil
	}
	store, err := f.openExisting(ctx, f.Data, term)
	if err != nil {
		if errors.Is(err, logstore.ErrInUse) {
			err = fmt.Errorf("%w; or, if that is a savedq server, name it, as in: --url http://127.0.0.1:8080", err)
		}
		return nil, nil, err
	}
	for _, note := range store.Recovery().Notes() {
		_, _ = fmt.Fprintf(term.stderr, "savedq: %s: %s\n", f.Data, note)
	}
	return &upkeep.Local{Store: store, BackupMore: server.BackUpMore(f.Data), Clock: term.clock}, store.Close, nil
}

// openExisting opens a store in this process.
func (f *localFlags) openExisting(ctx context.Context, directory string, term *terminal) (*logstore.Store, error) {
	memory, err := f.budget(memorySplit{duckDB: unchosen}, term)
	if err != nil {
		return nil, err
	}
	return storeOf(directory, memory.duckDB, engines.LowMemory).OpenSettled(ctx, logstore.OpenExisting, term.environment(slog.LevelWarn).Logger)
}

// timeOf parses a time of a flag as D11 does. It returns the zero time for a flag that is not set.
func timeOf(flag string, text *string, now time.Time) (time.Time, error) {
	if text == nil {
		return time.Time{}, nil
	}
	parsed, err := sqlq.ParseTimestampAt(*text, now)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s: %w", flag, err)
	}
	return parsed, nil
}

// parsingTime is the time to which relative times of flags are related while their form is checked. Commands use the clock of
// their terminal.
func parsingTime() time.Time { return time.Now() } //nolint:forbidigo // There is no terminal yet.

// storeDeleteCommand is "savedq store delete".
type storeDeleteCommand struct {
	Project string   `required:"" variable:"-" placeholder:"PROJECT" help:"Project whose events are deleted."`
	Source  []string `sep:"none" variable:"-" placeholder:"NAME" help:"Log source of the events, by either of its names; can be repeated. Default: all."`
	Before  *string  `variable:"-" placeholder:"TIME" help:"Delete only events with an earlier timestamp: a date, a time such as 2026-01-31T12:00:00Z, or one such as now-30d. Default: all events."`
	DryRun  bool     `help:"Count the events, and delete none."`
	maintenanceFlags
}

// erasure returns what the flags select.
func (c *storeDeleteCommand) erasure(now time.Time) (erasure upkeep.Erasure, err error) {
	erasure = upkeep.Erasure{Project: c.Project, Sources: c.Source, DryRun: c.DryRun}
	if erasure.Before, err = timeOf("--before", c.Before, now); err == nil && c.Before != nil {
		err = upkeep.CheckBefore("--before", erasure.Before)
	}
	return erasure, err
}

func (c *storeDeleteCommand) Validate() error {
	_, err := c.erasure(parsingTime())
	return err
}

// Run deletes the events and prints how many.
func (c *storeDeleteCommand) Run(ctx context.Context, term *terminal) (err error) {
	erasure, err := c.erasure(term.clock())
	if err != nil {
		return err
	}
	store, end, err := c.open(ctx, term)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	deleted, err := store.Delete(ctx, erasure)
	verb := "deleted"
	if c.DryRun {
		verb = "would be deleted"
	}
	total := int64(0)
	for _, source := range deleted {
		total += source.Events
		if source.Events > 0 {
			_, _ = fmt.Fprintf(term.stdout, "%s: %s %s\n", source.Source, countEvents(source.Events), verb)
		}
	}
	if err != nil {
		return c.incomplete(total, err)
	}
	_, err = fmt.Fprintf(term.stdout, "%s: %s %s\n", c.Project, countEvents(total), verb)
	return err
}

// incomplete returns the error for a deletion that failed after some events.
func (c *storeDeleteCommand) incomplete(deleted int64, err error) error {
	_, uncertain := errors.AsType[*upkeep.UncertainError](err)
	switch {
	case c.DryRun:
		return err
	case deleted > 0:
		return fmt.Errorf("not all events were deleted; run the command again: %w", err)
	case uncertain:
		return fmt.Errorf("some events may have been deleted; run the command again: %w", err)
	default:
		return fmt.Errorf("nothing was deleted: %w", err)
	}
}

// countEvents returns a number of events.
func countEvents(count int64) string {
	if count == 1 {
		return "1 event"
	}
	return fmt.Sprintf("%d events", count)
}

// storeStatsCommand is "savedq store stats".
type storeStatsCommand struct {
	Format string `enum:"${formats}" default:"${format}" placeholder:"FORMAT" help:"Output format: ${enum}. Default: ${default}."`
	maintenanceFlags
}

// Run prints a row for each source, and the size of the store.
func (c *storeStatsCommand) Run(ctx context.Context, term *terminal) (err error) {
	store, end, err := c.open(ctx, term)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	stats, err := store.Stats(ctx)
	if err != nil {
		return err
	}
	if err := printResult(term.stdout, c.Format, "store", statsResult(&stats)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(term.stderr, "Parts: %d with %s. In memory, and in the write-ahead log until they are in a part: %s. Rejected events: %d.\n",
		stats.Parts, byteSize(stats.FileBytes), byteSize(stats.RecentBytes), stats.Rejected)
	return err
}

// statsResult returns a row for each source. The last two columns are events per second.
func statsResult(stats *logstore.Stats) *sqlq.Result {
	result := &sqlq.Result{Columns: []sqlq.Column{
		{Name: "source", Type: sqlq.String},
		{Name: "events", Type: sqlq.Int64},
		{Name: "bytes", Type: sqlq.Int64},
		{Name: "oldest", Type: sqlq.Timestamp, Nullable: true},
		{Name: "newest", Type: sqlq.Timestamp, Nullable: true},
		{Name: "per_second_last_hour", Type: sqlq.Float64},
		{Name: "per_second_last_day", Type: sqlq.Float64},
	}}
	for _, source := range stats.Sources {
		const day = 24 * time.Hour
		result.Rows = append(result.Rows, []any{
			source.Source, source.Events, source.Bytes, timeValue(source.Oldest), timeValue(source.Newest),
			perSecond(source.LastHour, time.Hour), perSecond(source.LastDay, day),
		})
	}
	return result
}

// perSecond returns a rate, to a thousandth.
func perSecond(events int64, in time.Duration) float64 {
	const thousandths = 1000
	return math.Round(float64(events)/in.Seconds()*thousandths) / thousandths
}

// storeDropFieldCommand is "savedq store drop-field".
type storeDropFieldCommand struct {
	Field string `arg:"" placeholder:"TABLE.FIELD" help:"The field, such as orders.amount. Remove it from the table.yaml, too, or it is filled again."`
	localFlags
}

func (c *storeDropFieldCommand) Validate() error {
	if strings.Count(c.Field, ".") != 1 {
		return fmt.Errorf("%q is not a field, such as orders.amount", c.Field)
	}
	return nil
}

// Run removes the field from a store that no server has open.
func (c *storeDropFieldCommand) Run(ctx context.Context, term *terminal) (err error) {
	store, err := c.openExisting(ctx, c.Data, term)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	table, field, _ := strings.Cut(c.Field, ".")
	if err := store.DropField(ctx, table, field); err != nil {
		return err
	}
	_, err = fmt.Fprintf(term.stdout, "%s is removed\n", c.Field)
	return err
}
