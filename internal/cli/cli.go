// Package cli implements the command line: it parses flags, and configures and runs the
// other packages.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"savedq/internal/engines"
	"savedq/internal/operations/memory"
	"savedq/internal/text/printable"
)

// The exit statuses.
const (
	statusOK     = 0
	statusFailed = 1
	// statusUsage means that the flags were invalid and nothing was opened.
	statusUsage = 2
)

// commands defines the command line in kong's tags.
type commands struct {
	Serve      serveCommand      `cmd:"" help:"Serve the saved queries over GraphQL and REST."`
	Load       loadCommand       `cmd:"" help:"Load log events from files into the embedded store."`
	Tables     tablesCommand     `cmd:"" help:"Show the tables that saved queries read, or write a new one."`
	Store      storeCommand      `cmd:"" help:"Maintain the embedded store: statistics, deletion of a project, backup, check of the files, rejected events."`
	ClickHouse clickHouseCommand `cmd:"" name:"clickhouse" help:"Print the SQL that creates tables for savedq on ClickHouse."`
	Purge      purgeCommand      `cmd:"" help:"Remove cached rows of a running server."`
	Query      queryCommand      `cmd:"" help:"Run a saved query and print its rows."`
	MCP        mcpCommand        `cmd:"" name:"mcp" help:"Serve the saved queries as tools to an agent over standard input and output."`
	New        newCommand        `cmd:"" help:"Write the folder of a new saved query, from its SQL."`
	Translate  translateCommand  `cmd:"" help:"Print SQL for another database: stored GoogleSQL queries as ClickHouse's SQL over the one table logs."`
	Import     importCommand     `cmd:"" help:"Write folders of saved queries from an export of Logflare's endpoints."`
	Check      checkCommand      `cmd:"" help:"Check every saved query against the engine, without running it."`
	Test       testCommand       `cmd:"" help:"Run the test cases of saved queries, on rows of their own."`
	Alerts     alertsCommand     `cmd:"" help:"List the alerts of a running server with their states."`
	Token      tokenCommand      `cmd:"" help:"Create, list and revoke access tokens."`
	Usage      usageCommand      `cmd:"" help:"Show what the tokens of a running server used, by day, token, subject and saved query."`
	Endpoints  endpointsCommand  `cmd:"" help:"List the saved queries: names, ids, parameters and caching."`
	Health     healthCommand     `cmd:"" help:"Check the health of a running server; the exit status is 0 if it is healthy."`
	Versions   versionCommand    `cmd:"" name:"version" help:"Print the commit and the versions of the engines that the program was built from."`
	Worker     workerCommand     `cmd:"" name:"check-worker" hidden:"" help:"Check the SQL of saved queries for the other commands."`
	Callers    callersCommand    `cmd:"" name:"callers-worker" hidden:"" help:"Run SQL of callers for a server."`
	Version    kong.VersionFlag  `help:"Print the version and exit."`
}

// terminal holds what commands use from the environment of the process.
type terminal struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	clock  func() time.Time
	getenv func(name string) string
	// memory returns how much memory is available.
	memory func() (memory.Available, error)
	// limitGo is [debug.SetMemoryLimit].
	limitGo func(bytes int64) (previous int64)
	// runMore is [runMoreThreads].
	runMore func(threads int)
}

// environment returns what engines use. Their logger writes to the standard error from a level on.
func (t *terminal) environment(level slog.Level) engines.Environment {
	return engines.Environment{Clock: t.clock, Getenv: t.getenv, Logger: slog.New(slog.NewTextHandler(t.stderr, &slog.HandlerOptions{Level: level}))}
}

// Run runs the command that the arguments name and returns the exit status.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	stdout, stderr = printable.Terminal(stdout), printable.Terminal(stderr)
	exit := -1
	variables := newEnvironment(os.Getenv)
	parser, err := newParser(&commands{}, variables, kong.Writers(stdout, stderr), kong.Exit(func(status int) { exit = status }))
	if err != nil {
		return fail(stderr, variables, err)
	}
	parsed, err := parseArguments(parser, helpArguments(args))
	if exit >= 0 { // --help or --version was printed
		return exit
	}
	if err != nil {
		var usage *kong.ParseError
		if errors.As(err, &usage) {
			err = suggestFlag(usage)
		}
		printError(stderr, variables, err)
		if usage != nil && usage.Context != nil {
			_, _ = fmt.Fprintf(stderr, "Run \"savedq %s--help\" for help.\n", commandPrefix(usage.Context))
		}
		return statusUsage
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	parsed.BindTo(ctx, (*context.Context)(nil))
	if err := parsed.Run(&terminal{stdin: os.Stdin, stdout: stdout, stderr: stderr, clock: time.Now, getenv: os.Getenv, memory: memory.Read, limitGo: debug.SetMemoryLimit, runMore: runMoreThreads}); err != nil {
		return fail(stderr, variables, err)
	}
	return statusOK
}

// helpArguments returns the arguments of "help COMMAND" as "COMMAND --help", which means the same.
func helpArguments(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	return append(slices.Clone(args[1:]), "--help")
}

// parseArguments parses the arguments. It rejects invalid UTF-8, which kong would change.
func parseArguments(parser *kong.Kong, args []string) (*kong.Context, error) {
	for _, arg := range args {
		if !utf8.ValidString(arg) {
			return nil, fmt.Errorf("the argument %q is not UTF-8 text", arg)
		}
	}
	return parser.Parse(args)
}

// newParser returns a parser of the command line. Flags that are not on the command line
// take their values from the environment.
func newParser(grammar any, variables *environment, options ...kong.Option) (*kong.Kong, error) {
	options = append(append(options, variables.options()...),
		kong.Name("savedq"),
		kong.Description("Analytics SQL as named, saved queries, served as GraphQL fields and on REST paths, from an embedded DuckDB, BigQuery or ClickHouse.\n\nEvery flag can also be set by the environment variable that its help names. \"savedq COMMAND --help\" lists the flags."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, Summary: true}),
		kong.Vars{"version": version()}, engineNames(), formatNames(),
		durations(), kong.WithBeforeApply(checkGiven),
	)
	parser, err := kong.New(grammar, options...)
	if err != nil {
		return nil, err
	}
	nameVariables(parser.Model)
	return parser, nil
}

// commandPrefix returns the selected command followed by a space, if there is one.
func commandPrefix(parsed *kong.Context) string {
	if selected := parsed.Selected(); selected != nil {
		return selected.Path() + " "
	}
	return ""
}

// fail prints an error, unless it is errReported, and returns the exit status.
func fail(stderr io.Writer, variables *environment, err error) int {
	if !errors.Is(err, errReported) {
		printError(stderr, variables, err)
	}
	if withStatus, ok := errors.AsType[*statusError](err); ok {
		return withStatus.status
	}
	return statusFailed
}

// statusError is an error with an exit status of its own.
type statusError struct {
	status int
	error
}

// Unwrap returns the error itself.
func (e *statusError) Unwrap() error { return e.error }

// printError prints an error, which may have several lines, and the environment variables
// that set the flags that it names.
func printError(stderr io.Writer, variables *environment, err error) {
	_, _ = fmt.Fprintf(stderr, "savedq: %s\n%s", err, variables.origins(err.Error()))
}

// errReported is a failure that the command has already printed.
var errReported = errors.New("reported")

// runMoreThreads lets more threads run Go at the same time than there are processors.
func runMoreThreads(more int) {
	runtime.SetDefaultGOMAXPROCS() // so that a second call adds nothing
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + more)
}

// Model returns the commands and flags of the program, for the reference of flags.
func Model() (*kong.Application, error) {
	parser, err := newParser(&commands{}, newEnvironment(func(string) string { return "" }))
	if err != nil {
		return nil, err
	}
	return parser.Model, nil
}
