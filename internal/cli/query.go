package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"savedq/internal/api/format"
	"savedq/internal/engines"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/runner"
)

// queryCommand is "savedq query".
type queryCommand struct {
	Name    string   `arg:"" help:"Name, id or alias of the saved query."`
	Params  []string `arg:"" optional:"" name:"param=value" help:"Parameters of the saved query."`
	SQL     string   `name:"sql" placeholder:"SQL" help:"SELECT in GoogleSQL to run in place of the saved query's last one. It reads the names in its WITH clause (sandbox: enabled)."`
	Format  string   `enum:"${formats}" default:"${format}" placeholder:"FORMAT" help:"How to print the rows: ${enum}. Default: ${default}."`
	Explain bool     `help:"Show which rows a refresh would reuse instead of running the saved query, or why it reuses none."`
	engineFlags
	catalogFlags
}

// queryTimeout limits a query from the command line. It is long, because no other callers wait.
const queryTimeout = 10 * time.Minute

// Run runs the saved query and prints its rows.
func (c *queryCommand) Run(ctx context.Context, term *terminal) (err error) {
	catalog, err := c.read(ctx, c.engine())
	if err != nil {
		return err
	}
	query, ok := catalog.Find(c.Name)
	if !ok {
		return fmt.Errorf("there is no saved query %q; \"savedq endpoints\" lists them", c.Name)
	}
	raw, err := readParams(query, c.Params)
	if err != nil {
		return err
	}
	args, err := query.Bind(raw) // before the store is opened
	if err != nil {
		return err
	}
	if c.SQL != "" && !query.Sandboxed {
		return fmt.Errorf("%s has no sandbox; --sql needs \"sandbox: enabled\" in its query.yaml", query.Name)
	}
	if c.Explain {
		_, err := fmt.Fprint(term.stdout, explain(query, args, term.clock(), c.engine().KnowsChanges()))
		return err
	}
	queryRunner, end, err := openRunner(ctx, term, &c.engineFlags, c.Tables, catalog)
	if errors.Is(err, logstore.ErrInUse) {
		return fmt.Errorf("%w; or ask that server: GET /api/endpoints/%s", err, query.Name)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	request := runner.Request{Query: query, Params: raw, SQL: c.SQL}
	write := printWhole
	if query.Stream {
		write = printStream
	}
	response, err := write(ctx, queryRunner, request, term.stdout, c.Format)
	if err != nil {
		return causeOf(err)
	}
	if response.Result.Truncated {
		_, _ = fmt.Fprintf(term.stderr, "The result was cut to %d rows.\n", query.MaxRows)
	}
	return nil
}

// printWhole runs a saved query and prints its rows.
func printWhole(ctx context.Context, queries *runner.Runner, request runner.Request, w io.Writer, name string) (*runner.Response, error) {
	response, err := queries.Run(ctx, request)
	if err != nil {
		return nil, err
	}
	return response, printResult(w, name, request.Query.Name, response.Result)
}

// printResult prints rows of a query in the format with a name. The output ends with a newline, unless
// it is empty.
func printResult(w io.Writer, name, query string, result *sqlq.Result) error {
	output, found := format.Find(name)
	if !found { // cannot happen: kong validates the flag
		return fmt.Errorf("there is no format %q", name)
	}
	text, err := output.Encode(query, result)
	if err != nil {
		return err
	}
	if !output.Binary && len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	_, err = w.Write(text)
	return err
}

// formatNames returns the variables of the help of --format.
func formatNames() kong.Vars {
	var names []string
	for _, output := range format.All() {
		names = append(names, output.Name)
	}
	return kong.Vars{"formats": strings.Join(names, ","), "format": names[0]}
}

// causeOf adds its cause to an internal error, which network callers do not see. After an empty line, DuckDB lists the
// options of its functions.
func causeOf(err error) error {
	cause, coded := errors.Unwrap(err), sqlq.AsError(err)
	if cause == nil || coded.Code != sqlq.Internal {
		return err
	}
	if mistake, found := errors.AsType[*tablefiles.ReadError](err); found {
		return errors.New(tablefiles.Detail(mistake))
	}
	reason, _, _ := strings.Cut(cause.Error(), "\n\n")
	if coded.Message == sqlq.AsError(cause).Message { // nothing is known but the cause
		return errors.New(reason)
	}
	return errors.New(coded.Message + ": " + reason)
}

// readParams parses param=value pairs. Unlike over HTTP, an undeclared parameter is an
// error, because it is likely a typo.
func readParams(query *sqlq.SavedQuery, pairs []string) (map[string][]string, error) {
	raw := make(map[string][]string, len(pairs))
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not of the form param=value", pair)
		}
		if !query.HasParam(name) {
			return nil, fmt.Errorf("%s has no parameter %q; its parameters are: %s", query.Name, name, strings.Join(query.ParamNames(), ", "))
		}
		raw[name] = append(raw[name], value)
	}
	return raw, nil
}

// printStream runs a saved query with stream and prints its rows while they arrive.
func printStream(ctx context.Context, queries *runner.Runner, request runner.Request, w io.Writer, name string) (*runner.Response, error) {
	output, found := format.Find(name)
	if !found || output.Begin == nil {
		return nil, fmt.Errorf("the rows of %s are a stream; use --format with one of %s", request.Query.Name, format.Served(true))
	}
	buffer := bufio.NewWriter(w)
	rows, err := output.Begin(buffer, request.Query.Columns)
	if err != nil {
		return nil, err
	}
	request.Emit = rows.Write
	response, err := queries.Run(ctx, request)
	if err != nil {
		_ = buffer.Flush() // the rows before the error, as they would be in a pipe
		return nil, err
	}
	if err := rows.End(response.Result.Truncated); err != nil {
		return nil, err
	}
	return response, buffer.Flush()
}

// openRunner opens the engine and returns a runner of the saved queries without a cache. Callers
// must call end.
func openRunner(ctx context.Context, term *terminal, flags *engineFlags, tableDirectories []string, read *catalog.Catalog) (_ *runner.Runner, end func() error, err error) {
	if _, err := flags.splitMemory(new(byteSize), nil, term); err != nil { // nothing is cached
		return nil, nil, err
	}
	environment := term.environment(slog.LevelWarn)
	engine, err := flags.engine().Open(ctx, engines.Opening{Environment: environment, Queries: read.Queries(), Tables: read.Tables(), TableDirectories: tableDirectories})
	if err != nil {
		return nil, nil, err
	}
	return runner.New(runner.Config{
		Catalog: read, Engine: engine, Clock: term.clock, Logger: environment.Logger, Random: rand.Float64,
		QueryTimeout: queryTimeout, SandboxTimeout: queryTimeout, QueueTimeout: queryTimeout, StreamTimeout: queryTimeout, EngineConcurrency: 1,
	}), engine.Close, nil
}
