package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"savedq/internal/api/explorehttp"
	"savedq/internal/authoring/scaffold"
	"savedq/internal/files/regularfile"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sandbox"
)

// newCommand is "savedq new".
type newCommand struct {
	Name    string            `arg:"" help:"Name of the saved query and of its folder, such as functions.slowest."`
	SQL     string            `name:"sql" placeholder:"FILE" help:"File with the SQL, or - for the standard input. Default: an example to begin with."`
	Queries []string          `required:"" placeholder:"DIR" help:"Directory of saved queries that gets the folder; created if it does not exist. The names in further directories are taken, too."`
	Dialect string            `enum:"auto,googlesql,clickhouse,duckdb" default:"auto" placeholder:"DIALECT" help:"What the SQL is written in: ${enum}; clickhouse is ClickHouse's SQL, over the one table logs; auto is what it is valid in, and DuckDB's SQL if it is valid in both. Default: ${default}."`
	Param   map[string]string `mapsep:"," placeholder:"NAME=TYPE" help:"Type of a parameter, such as days=INT64. If DuckDB does not report it, savedq guesses it and marks it; BigQuery reports none: parameters are STRING unless you set them. May be given several times."`
	engineFlags
	shippedFlags
}

// anyDialect is the value of --dialect for SQL of either dialect.
const anyDialect = "auto"

// standardInput is the value of --sql that names the standard input.
const standardInput = "-"

func (c *newCommand) Validate() error {
	if c.Name != "" { // kong reports a missing one later
		if err := catalog.CheckName(c.Name); err != nil {
			return fmt.Errorf("the name %w", err)
		}
	}
	for name, value := range c.Param {
		if declared := sqlq.ParseType(value); !slices.Contains(sqlq.AllParamTypes(), declared) {
			return fmt.Errorf("--param: %s of %s is not a type; use one of %s, or an ARRAY of one, such as ARRAY<STRING>",
				sqlq.Quote(value), name, sqlq.Join(sqlq.ParamTypes()))
		}
	}
	if c.SQL != "" && c.SQL != standardInput {
		if info, err := os.Stat(c.SQL); err != nil || info.IsDir() {
			return fmt.Errorf("--sql: %s is not a file", c.SQL)
		}
	}
	if c.Dialect != anyDialect && c.SQL == "" {
		return errors.New("--dialect: there is no SQL without --sql")
	}
	if _, err := c.dialect(); err != nil {
		return err
	}
	return validateTarget(c.Queries)
}

// dialect returns the dialect that --dialect names; nil for either.
func (c *newCommand) dialect() (sqlq.Dialect, error) {
	engine := c.engine().Dialect()
	switch {
	case c.Dialect == explorehttp.GoogleSQL:
		return googlesql.AnyEngine(), nil
	case c.Dialect == explorehttp.ClickHouse:
		if err := sandbox.RunsOverLogs(engine.Name()); err != nil {
			return nil, fmt.Errorf("--dialect: %w", err)
		}
		return clickhousesql.Dialect{}, nil
	case c.Dialect == explorehttp.DuckDB && engine.Name() != explorehttp.DuckDB:
		return nil, fmt.Errorf("--dialect: --engine %s does not run DuckDB's SQL; write GoogleSQL", engine.Name())
	case c.Dialect == explorehttp.DuckDB:
		return engine, nil
	}
	return nil, nil //nolint:nilnil // No dialect is either.
}

// validateTarget returns an error unless the first of directories exists or can be created, and the others
// exist.
func validateTarget(directories []string) error {
	for i, path := range directories {
		if i == 0 {
			path = existing(path)
		}
		if mistake := mistakeIn("directory", path); mistake != "" {
			return fmt.Errorf("--queries: %s", mistake)
		}
	}
	return nil
}

// Run writes the folder of a new saved query.
func (c *newCommand) Run(ctx context.Context, term *terminal) (err error) {
	sql, file, err := c.readSQL(term)
	if err != nil {
		return err
	}
	directory := c.Queries[0]
	target := filepath.Join(directory, c.Name)
	if _, err := os.Lstat(target); err == nil {
		return fmt.Errorf("%s exists already and is not changed; choose another name, or remove it", target)
	}
	query, err := c.plan(ctx, term, sql, file)
	if err != nil {
		return err
	}
	const mode = 0o755
	switch err := os.Mkdir(directory, mode); {
	case err == nil:
		_, _ = fmt.Fprintf(term.stdout, "Created the directory %s.\n", directory)
	case !errors.Is(err, fs.ErrExist):
		return fmt.Errorf("--queries: %w", err)
	}
	folders, err := scaffold.OpenReplacement(directory, directory)
	if err != nil {
		return fmt.Errorf("write %s: %w", target, err)
	}
	defer func() { err = errors.Join(err, folders.Close()) }()
	if err := folders.Write(query); err != nil {
		return fmt.Errorf("write %s: %w", target, err)
	}
	if err := c.verify(folders); err != nil {
		return err
	}
	if err := folders.Publish(c.Name); err != nil {
		return fmt.Errorf("write %s: %w", target, err)
	}
	return c.printNext(term, target, file, query)
}

// readSQL returns the SQL, and the name of its file for messages.
func (c *newCommand) readSQL(term *terminal) (sql, file string, err error) {
	var data []byte
	switch file = c.SQL; file {
	case "":
		template := scaffold.TemplateFor(c.engine().Dialect())
		if c.Param == nil {
			c.Param = make(map[string]string)
		}
		for name, of := range template.Types {
			c.Param[name] = string(of)
		}
		return template.SQL, "the example", nil
	case standardInput:
		file = "standard input"
		data, err = io.ReadAll(term.stdin)
	default:
		data, err = regularfile.Read(file)
	}
	if err != nil {
		return "", file, fmt.Errorf("--sql: %w", err)
	}
	return strings.TrimRight(string(data), " \t\r\n") + "\n", file, nil
}

// plan returns the saved query for the SQL, which must compile.
func (c *newCommand) plan(ctx context.Context, term *terminal, sql, file string) (_ *scaffold.Query, err error) {
	engine := c.engine()
	checker, err := engine.Checker(ctx, term.environment(slog.LevelInfo))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, checker.Close()) }()
	types := make(map[string]sqlq.Type, len(c.Param))
	for name, of := range c.Param {
		types[name] = sqlq.ParseType(of)
	}
	tables, err := c.readTables()
	if err != nil {
		return nil, err
	}
	planner := scaffold.Planner{Engine: engine.Dialect(), Checker: checker, Tables: tables, Declare: engine.Declare}
	dialect, err := c.dialect()
	if err != nil {
		return nil, err
	}
	query, err := planner.Plan(ctx, scaffold.Source{Dialect: dialect, SQL: sql, File: file, Types: types})
	if err != nil {
		return nil, err
	}
	return query, query.Begin(c.Name)
}

// verify reads the folder together with all others, as a server does. It returns the mistakes in
// it, such as a name that is taken.
func (c *newCommand) verify(folders *scaffold.Replacement) error {
	_, found, err := c.with(append([]string{folders.Staging}, c.Queries[1:]...)...).Read(c.engine().Dialect())
	if err != nil {
		return err
	}
	if own := folders.Mistakes(found, c.Name, c.Queries[0]); len(own) > 0 {
		return fmt.Errorf("nothing is written, because the saved query could not be used:\n%w", own)
	}
	return nil
}

// printNext prints what was written and what to do next.
func (c *newCommand) printNext(term *terminal, target, file string, query *scaffold.Query) error {
	directory := c.Queries[0]
	flags := strings.Join(append([]string{"--queries " + directory}, c.Tables...), " --tables ")
	if engine := c.engine().Dialect().Name(); engine != new(engineFlags).all()[0].engine().Dialect().Name() {
		flags += " --engine " + engine
	}
	seen := ""
	if c.SQL != "" {
		seen = fmt.Sprintf("%s is %s.\n", file, language(query.Dialect))
	}
	if query.IsAmbiguous {
		seen += "It is valid in GoogleSQL, too, where it can mean something else; --dialect googlesql takes it as such, for every engine.\n"
	}
	_, err := fmt.Fprintf(term.stdout, `%sWrote %s and %s.

Next:
  savedq check %s    lists the %d places to fill in, marked TODO
  savedq test %s %s    runs the cases that you write in %s
  savedq serve %s    serves it
`, seen, filepath.Join(target, "query.yaml"), filepath.Join(target, query.SQLFileName()), flags, bytes.Count(query.YAML(), []byte("TODO:")),
		c.Name, flags, filepath.Join(target, "tests", "*.yaml"), flags)
	return err
}

// language returns the name of a dialect, with what its file means.
func language(dialect sqlq.Dialect) string {
	switch dialect.Name() {
	case googlesql.AnyEngine().Name():
		return "GoogleSQL, which runs on every engine as query.sql"
	case "duckdb":
		return "DuckDB's SQL"
	case "clickhouse":
		if dialect == (clickhousesql.Dialect{}) {
			return "ClickHouse's SQL over the table logs, which runs on the embedded engine and on ClickHouse"
		}
		return "ClickHouse's SQL"
	}
	return "GoogleSQL, for BigQuery alone"
}
