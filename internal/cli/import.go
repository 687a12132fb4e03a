package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"savedq/internal/authoring/logflare"
	"savedq/internal/authoring/scaffold"
	"savedq/internal/engines"
	"savedq/internal/files/regularfile"
	"savedq/sqlq"
	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sandbox"
)

// importCommand is "savedq import".
type importCommand struct {
	File    string   `arg:"" help:"Export of endpoints: the JSON list that Logflare's API returns for GET /api/endpoints, or - for the standard input. At most 10 MB."`
	Queries []string `required:"" placeholder:"DIR" help:"Directory of saved queries that gets the folders; created if it does not exist. The names in further directories are taken, too."`
	DryRun  bool     `help:"Print what would be imported, and write nothing."`
	Force   bool     `help:"Replace folders that exist."`
	shippedFlags
}

// Help implements kong's help of a command.
func (c *importCommand) Help() string {
	return `Each endpoint becomes a folder with its name, id, caching, rows, parameters and columns, and with its query, which is not changed: as query.sql, or as clickhouse.sql if its language is ch_sql. ClickHouse's SQL is over the one table logs.

The exit status is 1 if an endpoint is not imported; the others are.`
}

func (c *importCommand) Validate() error {
	if c.File != "" && c.File != standardInput {
		if info, err := os.Stat(c.File); err != nil || info.IsDir() {
			return fmt.Errorf("%s is not a file", c.File)
		}
	}
	return validateTarget(c.Queries)
}

// Run imports the endpoints one by one.
func (c *importCommand) Run(ctx context.Context, term *terminal) (err error) {
	endpoints, err := c.read(term)
	if err != nil {
		return err
	}
	folders, err := c.openFolders()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folders.Close()) }()
	tables, err := c.readTables()
	if err != nil {
		return err
	}
	engine := engines.DuckDB{}
	checker, err := engine.Checker(ctx, term.environment(slog.LevelInfo))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, checker.Close()) }()
	importer := &importer{
		importCommand: c, folders: folders,
		planner: scaffold.Planner{Engine: engine.Dialect(), Checker: checker, Tables: tables, Declare: engine.Declare},
	}
	for _, endpoint := range endpoints {
		if err := importer.add(ctx, endpoint); err != nil {
			return fmt.Errorf("import %s: %w", endpoint.WrittenName, err)
		}
	}
	return c.report(term, endpoints)
}

func (c *importCommand) read(term *terminal) ([]*logflare.Endpoint, error) {
	if c.File == standardInput {
		data, err := logflare.ReadAll(term.stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return logflare.Read("standard input", data)
	}
	data, err := regularfile.Read(c.File)
	if err != nil {
		return nil, err
	}
	return logflare.Read(c.File, data)
}

// openFolders returns the directory that gets the folders. A dry run has a copy elsewhere.
func (c *importCommand) openFolders() (*scaffold.Replacement, error) {
	directory := c.Queries[0]
	if c.DryRun {
		return scaffold.OpenReplacement(directory, "")
	}
	const mode = 0o755
	if err := os.Mkdir(directory, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("--queries: %w", err)
	}
	return scaffold.OpenReplacement(directory, directory)
}

// importer imports endpoints.
type importer struct {
	*importCommand
	folders *scaffold.Replacement
	planner scaffold.Planner
}

// add writes the folder of an endpoint, or notes in it why not. The error is not one of the endpoint.
func (i *importer) add(ctx context.Context, endpoint *logflare.Endpoint) error {
	if len(endpoint.Reasons) > 0 {
		return nil
	}
	target := filepath.Join(i.Queries[0], endpoint.Name)
	if _, err := os.Lstat(target); err == nil && !i.Force {
		endpoint.Exists = true
		endpoint.Reject(target + " exists already and is not changed; --force replaces it")
		return nil
	}
	dialect := sqlq.Dialect(googlesql.AnyEngine())
	if endpoint.IsClickHouse {
		dialect = clickhousesql.Dialect{}
	}
	query, err := i.planner.PlanIn(ctx, dialect, scaffold.Source{SQL: endpoint.SQL, File: queryFile})
	var mistakes sqlq.FileErrors
	switch {
	case errors.As(err, &mistakes):
		i.reject(endpoint, mistakes)
		return nil
	case err != nil:
		return err
	}
	query.ID, query.Name, query.Aliases, query.Description = endpoint.ID, endpoint.Name, endpoint.Aliases, endpoint.Description
	query.MaxRows, query.Cache, query.Warm = endpoint.MaxRows, endpoint.Cache, endpoint.Warm
	switch {
	case endpoint.Sandboxable && endpoint.IsClickHouse:
		endpoint.Remark("callers cannot send SQL of their own; write sandbox: logs in query.yaml if they may")
	case endpoint.Sandboxable:
		query.Sandboxed = i.sandboxes(endpoint, query)
	}
	remarkTypes(endpoint, query)
	if err := i.folders.Write(query); err != nil {
		return err
	}
	mistakes, err = i.verify(ctx, query.Name)
	if err != nil {
		return err
	}
	if len(mistakes) > 0 {
		i.reject(endpoint, mistakes)
		return i.folders.Discard(query.Name)
	}
	if i.DryRun {
		return nil
	}
	return i.folders.Publish(query.Name)
}

// sandboxes reports whether callers can send SQL to an endpoint, and notes why not.
func (i *importer) sandboxes(endpoint *logflare.Endpoint, query *scaffold.Query) bool {
	saved := &sqlq.SavedQuery{SQL: query.SQL, Tables: i.planner.Tables}
	for _, param := range query.Params {
		declared := sqlq.Param{Name: param.Name, Type: param.Type}
		if param.IsProject {
			declared.Scope = sqlq.ScopeProject
		}
		saved.Params = append(saved.Params, declared)
	}
	if err := sandbox.Check(saved); err != nil {
		endpoint.Remark("callers cannot send SQL of their own: " + strings.TrimPrefix(err.Error(), "sandbox: "))
		return false
	}
	return true
}

// remarkTypes notes the columns whose types the query does not determine.
func remarkTypes(endpoint *logflare.Endpoint, query *scaffold.Query) {
	var unknown, guessed []string
	for _, column := range query.Undecided {
		if column.Type == sqlq.JSON {
			unknown = append(unknown, column.Name)
		} else {
			guessed = append(guessed, column.Name+" "+string(column.Type))
		}
	}
	if len(unknown) > 0 {
		endpoint.Remark("the query does not determine the types of " + strings.Join(unknown, ", ") + ": JSON, which passes values on as they were sent")
	}
	if len(guessed) > 0 {
		endpoint.Remark("types are guessed, because the query sorts or compares values of metadata: " + strings.Join(guessed, ", ") + "; check them in query.yaml")
	}
}

// queryFile stands before places in the query of an endpoint.
const queryFile = "query"

// verify reads the folder together with all others, as a server does, and compiles it as declared. It
// returns its mistakes.
func (i *importer) verify(ctx context.Context, name string) (sqlq.FileErrors, error) {
	catalog, found, err := i.with(append([]string{i.folders.Staging}, i.Queries[1:]...)...).Read(i.planner.Engine)
	if err != nil {
		return nil, err
	}
	own := i.folders.Mistakes(found, name, i.Queries[0])
	if query, ok := catalog.Find(name); ok && len(own) == 0 {
		_, err := i.planner.Checker.Check(ctx, query)
		if err != nil && !errors.As(err, &own) {
			return nil, err
		}
	}
	return own, nil
}

// reject notes mistakes as the reason why an endpoint is not imported.
func (i *importer) reject(endpoint *logflare.Endpoint, mistakes sqlq.FileErrors) {
	for _, mistake := range mistakes {
		if advice := sourceAdvice(i.planner.Tables, endpoint, mistake); advice != "" {
			mistake.Message = advice
		}
		text := strings.ReplaceAll(mistake.Error(), i.folders.Staging, i.Queries[0])
		endpoint.Reject(text)
	}
}

// sourceAdvice returns what to do if a mistake is that the SQL names a source that savedq does not have. It
// returns an empty text for other mistakes.
func sourceAdvice(tables sqlq.Tables, endpoint *logflare.Endpoint, mistake *sqlq.FileError) string {
	rest, isTable := strings.CutPrefix(mistake.Message, "there is no table ")
	name, _, _ := strings.Cut(rest, "; ")
	source, isSource := endpoint.Sources[name]
	if !isTable || !isSource {
		return ""
	}
	if table, found := tables.FindSource(source); found {
		return fmt.Sprintf("savedq does not know the source %s by this name; write `%s` in its place", name, table.Name)
	}
	return fmt.Sprintf("%s is no log source of savedq; declare it in a folder of --tables, or send its events to one of %s, and write that name in its place",
		name, strings.Join(tables.Sources().Names(), ", "))
}

// report prints a table of the endpoints, and what to do next. The error says that some are not imported.
func (c *importCommand) report(term *terminal, endpoints []*logflare.Endpoint) error {
	const columnGap = 2
	out := tabwriter.NewWriter(term.stdout, 0, 0, columnGap, ' ', 0)
	_, _ = fmt.Fprintln(out, "ENDPOINT\tRESULT\tREMARKS")
	imported := 0
	for _, endpoint := range endpoints {
		result, notes := "imported", endpoint.Remarks
		switch {
		case endpoint.Exists:
			result, notes = "not imported", endpoint.Reasons
		case len(endpoint.Reasons) > 0:
			result, notes = "not supported", endpoint.Reasons
		case len(notes) > 0:
			result = "imported with remarks"
		}
		if len(endpoint.Reasons) == 0 {
			imported++
		}
		name := endpoint.WrittenName
		for i := range max(1, len(notes)) {
			note := "-"
			if len(notes) > 0 {
				note = strings.Join(strings.Fields(notes[i]), " ")
			}
			_, _ = fmt.Fprintf(out, "%s\t%s\t%s\n", name, result, note)
			name, result = "", ""
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	directory := c.Queries[0]
	switch {
	case c.DryRun:
		_, _ = fmt.Fprintf(term.stdout, "\nNothing is written, because of --dry-run. %d of %d endpoints can be imported.\n", imported, len(endpoints))
	case imported > 0:
		_, _ = fmt.Fprintf(term.stdout, "\nWrote %d of %d endpoints to %s.\n\nNext:\n  savedq check --queries %[3]s    lists what only you can fill in, marked TODO\n  savedq serve --queries %[3]s    serves them\n",
			imported, len(endpoints), directory)
	}
	if missing := len(endpoints) - imported; missing > 0 {
		return fmt.Errorf("%d of %d endpoints are not imported", missing, len(endpoints))
	}
	return nil
}
