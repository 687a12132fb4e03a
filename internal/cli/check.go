package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"

	"savedq/graph"
	"savedq/internal/api/format"
	"savedq/internal/authoring/querytest"
	"savedq/internal/engines"
	"savedq/internal/engines/sqlcheck"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// checkCommand is "savedq check".
type checkCommand struct {
	againstFlag
	notifyFlag
	engineFlags
	catalogFlags
}

func (c *checkCommand) Validate() error {
	return errors.Join(c.validate(), c.notifyFlag.Validate())
}

// Run checks every saved query against the engine, without running it, and prints its
// columns and cost. It continues after a mistake.
func (c *checkCommand) Run(ctx context.Context, term *terminal) (err error) {
	engine := c.engine()
	catalog, found, err := c.folders().Read(engine.Dialect())
	if err != nil {
		return err
	}
	inFiles, err := checkFiles(ctx, engine.Dialect(), catalog.Tables())
	if err != nil {
		return err
	}
	found = append(append(found, inFiles...), c.mistakes(catalog.Declared())...)
	checker, err := engine.Checker(ctx, term.environment(slog.LevelInfo))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, checker.Close()) }()
	const columnGap = 2
	out := tabwriter.NewWriter(term.stdout, 0, 0, columnGap, ' ', 0)
	_, _ = fmt.Fprintln(out, "NAME\tESTIMATED BYTES\tCOLUMNS")
	for _, query := range catalog.Queries() {
		warnings := append(query.Warnings(), graph.Warnings(query)...)
		warnings.Sort()
		for _, warning := range warnings {
			_, _ = fmt.Fprintf(term.stderr, "warning: %s\n", warning)
		}
		plan, err := checker.Check(ctx, query)
		var mistakes sqlq.FileErrors
		if err != nil && !errors.As(err, &mistakes) {
			return err
		}
		found = append(append(found, mistakes...), format.Mistakes(query)...)
		_, _ = fmt.Fprintf(out, "%s\t%s\t%s\n", query.Name, estimate(plan), columns(plan))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if columns, ok := checker.(engines.ColumnChecker); ok {
		mistakes, err := columns.CheckColumns(ctx, catalog.Tables())
		if err != nil {
			return err
		}
		found = append(found, mistakes...)
	}
	found.Sort()
	if c.Against == "" || len(found) > 0 { // queries with mistakes would seem to be removed
		return engines.Unusable(found)
	}
	return c.compare(ctx, catalog, engine.Dialect(), term)
}

// estimate returns how much a run would read, or a dash if that is unknown.
func estimate(plan *sqlq.Plan) string {
	if plan == nil || plan.EstimatedBytes == nil {
		return "-"
	}
	return sqlq.FormatBytes(*plan.EstimatedBytes)
}

// columns returns the columns of the SQL, or a dash if it does not compile.
func columns(plan *sqlq.Plan) string {
	if plan == nil || len(plan.Columns) == 0 {
		return "-"
	}
	names := make([]string, len(plan.Columns))
	for i, column := range plan.Columns {
		names[i] = column.Name + " " + column.Type
	}
	return strings.Join(names, ", ")
}

// checkFiles returns the mistakes in the files of tables, if an engine with the dialect reads them.
func checkFiles(ctx context.Context, dialect sqlq.Dialect, tables sqlq.Tables) (found sqlq.FileErrors, err error) {
	if !dialect.ReadsFiles() {
		return nil, nil
	}
	_, err = duckdb.DescribeFiles(ctx, tables)
	if errors.As(err, &found) {
		return found, nil
	}
	return nil, err
}

// workerCommand is [engines.WorkerCommand].
type workerCommand struct{}

// Run checks the saved queries that it reads from the standard input.
func (c *workerCommand) Run(ctx context.Context, term *terminal) error {
	memory, err := querytest.OpenMemory(ctx)
	if err != nil {
		return err
	}
	// It is not closed, because that would wait for an abandoned check.
	return sqlcheck.Work(ctx, os.Stdin, term.stdout, memory)
}
