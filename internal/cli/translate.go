package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"savedq/internal/api/explorehttp"
	"savedq/internal/files/regularfile"
	"savedq/sqlq"
	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/googlesql"
)

// translateCommand is "savedq translate".
type translateCommand struct {
	File string `arg:"" help:"File with the SQL, or - for the standard input."`
	From string `enum:"googlesql,clickhouse" default:"googlesql" placeholder:"DIALECT" help:"What the SQL is written in: ${enum}. ClickHouse's SQL is over the one table logs. Default: ${default}."`
	To   string `required:"" enum:"clickhouse,duckdb" placeholder:"DIALECT" help:"What is printed: clickhouse is ClickHouse's SQL over the one table logs, with dotted keys in log_attributes; duckdb is what the embedded engine runs."`
	tablesFlags
}

// Run prints the translation, with remarks in front of it.
func (c *translateCommand) Run(term *terminal) error {
	text, name, err := c.read(term)
	if err != nil {
		return err
	}
	tables, err := c.readSources()
	if err != nil {
		return err
	}
	query := &sqlq.SavedQuery{Tables: tables}
	printed := ""
	switch {
	case c.From == explorehttp.ClickHouse && c.To == explorehttp.ClickHouse:
		return errors.New("--to: the SQL is ClickHouse's already; translate it to duckdb")
	case c.From == explorehttp.ClickHouse:
		printed, err = translateLogsForDuckDB(text, clickhousesql.EnvironmentOf(query))
	case c.To == explorehttp.DuckDB:
		printed, err = translateForDuckDB(text, googlesql.EnvironmentOf(query))
	default:
		printed, err = translateForLogs(text, googlesql.EnvironmentOf(query))
	}
	if mistake := new(googlesql.Error); errors.As(err, &mistake) {
		return mistake.In(name, text)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(term.stdout, printed)
	return err
}

// read returns the SQL, and the name of its file for messages.
func (c *translateCommand) read(term *terminal) (text, name string, err error) {
	var data []byte
	name = c.File
	if c.File == standardInput {
		name = "standard input"
		data, err = io.ReadAll(term.stdin)
	} else {
		data, err = regularfile.Read(c.File)
	}
	if err != nil {
		return "", "", fmt.Errorf("read the SQL: %w", err)
	}
	return string(data), name, nil
}

// translateForDuckDB returns the SQL that DuckDB runs. Parameters have the types of their uses.
func translateForDuckDB(text string, env googlesql.Environment) (string, error) {
	described, err := googlesql.Describe(text, env)
	if err != nil {
		return "", err
	}
	env.Params = append(env.Params, described.Params...)
	translation, err := googlesql.Translate(text, env)
	if err != nil {
		return "", err
	}
	return translation.SQL + "\n", nil
}

// translateLogsForDuckDB returns the SQL that DuckDB runs for ClickHouse's SQL over the table logs.
func translateLogsForDuckDB(text string, env clickhousesql.Environment) (string, error) {
	described, err := clickhousesql.Describe(text, env)
	if err != nil {
		return "", err
	}
	env.Params = append(env.Params, described.Params...)
	translation, err := clickhousesql.Translate(text, env)
	if err != nil {
		return "", err
	}
	return translation.SQL + "\n", nil
}

// translateForLogs returns ClickHouse's SQL over the table logs, behind remarks with their places.
func translateForLogs(text string, env googlesql.Environment) (string, error) {
	rewritten, err := googlesql.ForLogsTable(text, env)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, remark := range rewritten.Remarks {
		line, _ := sqlq.LineAndColumn(text, remark.Offset)
		_, _ = fmt.Fprintf(&out, "-- remark: line %d: %s\n", line, remark.Message)
	}
	out.WriteString(rewritten.SQL)
	return out.String(), nil
}
