package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"strings"

	"savedq/internal/authoring/querytest"
	"savedq/internal/engines"
	"savedq/internal/files/regularfile"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/queries"
)

// testCommand is "savedq test".
type testCommand struct {
	Names  []string `arg:"" optional:"" name:"name" help:"Saved queries to test. Default: all of --queries, or else the shipped ones."`
	Update bool     `help:"Replace what failed cases expect by what the saved queries give, in their files. Review the change."`
	JUnit  string   `name:"junit" placeholder:"FILE" help:"Write the outcome to a file as JUnit XML, for CI servers."`
	engineFlags
	catalogFlags
}

// Run runs the cases. The exit status is 1 if any fails, and 2 if they cannot be run.
func (c *testCommand) Run(ctx context.Context, term *terminal) error {
	reports, err := c.runAll(ctx, term)
	if err != nil {
		return &statusError{statusUsage, err}
	}
	if c.JUnit != "" {
		text, err := querytest.JUnit(reports)
		if err == nil {
			err = os.WriteFile(c.JUnit, text, 0o644) //nolint:gosec // It holds nothing secret.
		}
		if err != nil {
			return &statusError{statusUsage, fmt.Errorf("--junit: %w", err)}
		}
	}
	failed := 0
	for _, report := range reports {
		failed += report.Failed()
	}
	if c.Update && failed > 0 {
		return nil
	}
	if _, err := fmt.Fprintln(term.stdout, querytest.Summary(reports)); err != nil {
		return err
	}
	if failed > 0 {
		return errReported
	}
	return nil
}

// runAll runs the cases of all chosen saved queries, and prints what came of them.
func (c *testCommand) runAll(ctx context.Context, term *terminal) (reports []*querytest.Report, err error) {
	engine := c.engine()
	catalog, found, err := c.folders().Read(engine.Dialect())
	if err != nil {
		return nil, err
	}
	if err := engines.Unusable(found); err != nil {
		return nil, err
	}
	tests, err := c.choose(catalog, term)
	if err != nil {
		return nil, err
	}
	backend, err := engine.TestBackend(ctx, term.environment(slog.LevelInfo))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, backend.Close()) }()
	for _, test := range tests {
		report, err := c.runQuery(ctx, backend, test, term)
		if err != nil {
			return nil, err
		}
		reports = append(reports, report)
		if c.Update && report.Failed() > 0 {
			continue // update has printed what changed
		}
		if err := report.Write(term.stdout); err != nil {
			return nil, err
		}
	}
	return reports, nil
}

// queryTests are the case files of a saved query.
type queryTests struct {
	query *sqlq.SavedQuery
	files []*querytest.File
}

// choose returns the saved queries to test that have cases.
func (c *testCommand) choose(catalog *catalog.Catalog, term *terminal) ([]queryTests, error) {
	var chosen []*sqlq.SavedQuery
	for _, name := range c.Names {
		query, ok := catalog.Find(name)
		if !ok {
			return nil, fmt.Errorf("there is no saved query %q; \"savedq endpoints\" lists them", name)
		}
		chosen = append(chosen, query)
	}
	if len(c.Names) == 0 {
		for _, query := range catalog.Queries() {
			if query.Shipped == (len(c.Queries) == 0) {
				chosen = append(chosen, query)
			}
		}
	}
	var tests []queryTests
	var mistakes sqlq.FileErrors
	for _, query := range chosen {
		files, err := querytest.ReadFolder(folderOf(query), path.Dir(query.SQLFile), catalog.Tables())
		var inFiles sqlq.FileErrors
		switch {
		case errors.As(err, &inFiles):
			mistakes = append(mistakes, inFiles...)
		case err != nil:
			return nil, err
		case len(files) == 0:
			_, _ = fmt.Fprintf(term.stderr, "%s has no cases; write them to %s/%s/*.yaml\n", query.Name, path.Dir(query.SQLFile), querytest.Directory)
		default:
			tests = append(tests, queryTests{query, files})
		}
	}
	if len(mistakes) > 0 {
		return nil, fmt.Errorf("the cases cannot be run:\n%w", mistakes)
	}
	if len(tests) == 0 {
		return nil, errors.New("there are no cases to run")
	}
	return tests, nil
}

// shippedPath is the path under which messages show shipped queries.
const shippedPath = "shipped queries/"

// folderOf returns the folder of a saved query.
func folderOf(query *sqlq.SavedQuery) fs.FS {
	folder := path.Dir(query.SQLFile)
	if shipped, ok := strings.CutPrefix(folder, shippedPath); ok {
		if sub, err := fs.Sub(queries.FS, shipped); err == nil {
			return sub
		}
	}
	return regularfile.DirFS(folder)
}

// runQuery runs the cases of a saved query, whose SQL must be allowed.
func (c *testCommand) runQuery(ctx context.Context, backend engines.TestBackend, test queryTests, term *terminal) (*querytest.Report, error) {
	if _, err := backend.Check(ctx, test.query); err != nil {
		return nil, err
	}
	report := &querytest.Report{Query: test.query}
	for _, file := range test.files {
		var outcomes []*querytest.Outcome
		for i := range file.Cases {
			outcome, err := querytest.Run(ctx, backend, test.query, &file.Cases[i], term.clock)
			if err != nil {
				return nil, err
			}
			outcomes = append(outcomes, outcome)
		}
		report.Outcomes = append(report.Outcomes, outcomes...)
		if c.Update {
			if err := update(file, outcomes, term); err != nil {
				return nil, err
			}
		}
	}
	return report, nil
}

// update rewrites a file if any of its cases failed.
func update(file *querytest.File, outcomes []*querytest.Outcome, term *terminal) error {
	updated, err := querytest.Update(file, outcomes)
	if err != nil {
		return fmt.Errorf("--update: %w", err)
	}
	if string(updated) == string(file.Data) {
		return nil
	}
	if strings.HasPrefix(file.Path, shippedPath) {
		return fmt.Errorf("--update: %s is part of the program", file.Path)
	}
	info, err := os.Stat(file.Path)
	if err != nil {
		return fmt.Errorf("--update: %w", err)
	}
	if err := os.WriteFile(file.Path, updated, info.Mode().Perm()); err != nil {
		return fmt.Errorf("--update: %w", err)
	}
	failed := (&querytest.Report{Outcomes: outcomes}).Failed()
	_, err = fmt.Fprintf(term.stdout, "Updated %d of %d cases in %s. Review the change.\n", failed, len(outcomes), file.Path)
	return err
}
