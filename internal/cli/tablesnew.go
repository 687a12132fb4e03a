package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"savedq/internal/authoring/scaffold"
	"savedq/internal/files/regularfile"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/tables"
)

// tablesNewCommand is "savedq tables new".
type tablesNewCommand struct {
	File string `arg:"" help:"File with the rows: .csv, .tsv, .ndjson, .json, each also .gz or .zst, or .parquet. It is read whole, to find types that hold every value."`
	To   string `default:"./tables" placeholder:"DIR" help:"Directory of tables that gets the folder; created if it does not exist. Default: ${default}."`
	Name string `placeholder:"NAME" help:"Name of the table and of its folder. Default: the name of the file."`
}

func (c *tablesNewCommand) Validate() error {
	if mistake := mistakeIn("directory", existing(c.To)); mistake != "" {
		return fmt.Errorf("--to: %s", mistake)
	}
	if err := tables.CheckName(c.Name); c.Name != "" && err != nil {
		return fmt.Errorf("--name: %w", err)
	}
	return nil
}

// Run writes the folder of a table with the columns of a file.
func (c *tablesNewCommand) Run(ctx context.Context, term *terminal) (err error) {
	file, err := filepath.Abs(c.File)
	if err != nil {
		return err
	}
	if err := checkTableFile(c.File); err != nil {
		return err
	}
	if c.Name == "" {
		if c.Name, err = tableNameOf(file); err != nil {
			return fmt.Errorf("the name of a table cannot be made of that of the file: %w; give one with --name", err)
		}
	}
	target := filepath.Join(c.To, c.Name)
	if _, err := os.Lstat(target); err == nil {
		return fmt.Errorf("%s exists already and is not changed; choose another name with --name, or remove it", target)
	}
	format, separator, err := tables.FormatOf(file)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	sniffed, err := duckdb.SniffFile(ctx, &sqlq.Table{Name: c.Name, Files: &sqlq.Files{Pattern: escapePattern(file), Format: format, Separator: separator}})
	if err != nil {
		return errors.New(tablefiles.Detail(err))
	}
	table := c.scaffold(file, separator, sniffed)
	if err := c.verify(table); err != nil {
		return err
	}
	if err := c.write(table); err != nil {
		return fmt.Errorf("write %s: %w", target, err)
	}
	return c.printNext(term, table, len(sniffed.Remarks))
}

// checkTableFile returns an error unless a path leads to a regular file that can be read.
func checkTableFile(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory; give one of its files, and then set files in table.yaml to a pattern such as %s", path, filepath.Join(path, "*.csv"))
	}
	opened, _, err := regularfile.Open(path)
	if err != nil {
		return err
	}
	return opened.Close()
}

// tableNameOf returns a name for the table of a file.
func tableNameOf(file string) (string, error) {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	name = strings.Trim(regexp.MustCompile(`[^a-z0-9_]+`).ReplaceAllString(strings.ToLower(name), "_"), "_")
	return name, tables.CheckName(name)
}

// escapePattern returns the pattern that matches one path.
func escapePattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", "[*]", "?", "[?]", "[", "[[]").Replace(path)
}

// scaffold returns the table.yaml to be. The path of the file is relative if the one on the command line is.
func (c *tablesNewCommand) scaffold(file, separator string, sniffed *duckdb.Sniffed) *scaffold.Table {
	table := &scaffold.Table{Name: c.Name, File: filepath.Base(file), Files: file, Columns: sniffed.Table.Files.Columns, ColumnRemarks: make(map[string][]string)}
	if folder, err := filepath.Abs(filepath.Join(c.To, c.Name)); err == nil && !filepath.IsAbs(c.File) {
		if relative, err := filepath.Rel(folder, file); err == nil {
			table.Files = relative
		}
	}
	table.Files = escapePattern(table.Files)
	if sniffed.Table.Files.Separator != separator {
		table.Separator = sniffed.Table.Files.Separator
	}
	if name, _, _ := strings.Cut(table.File, "."); name != c.Name {
		table.Remarks = append(table.Remarks, fmt.Sprintf("the name of a table has only lower-case letters, digits and underscores: %s is for the file %s", c.Name, sqlq.Quote(table.File)))
	}
	for _, remark := range sniffed.Remarks {
		if remark.Column == "" {
			table.Remarks = append(table.Remarks, remark.Text)
			continue
		}
		table.ColumnRemarks[remark.Column] = append(table.ColumnRemarks[remark.Column], remark.Text)
	}
	return table
}

// verify returns the mistakes that table.yaml would have among the other tables.
func (c *tablesNewCommand) verify(table *scaffold.Table) error {
	var others []tables.Directory
	if _, err := os.Stat(c.To); err == nil {
		others = append(others, tables.Directory{FS: regularfile.DirFS(c.To), Path: c.To})
	}
	if _, err := tables.Parse(filepath.Join(c.To, c.Name, tables.FileName), table.YAML(), others...); err != nil {
		return fmt.Errorf("nothing is written, because the table could not be used:\n%w", err)
	}
	return nil
}

// write writes the folder, which appears with its file or not at all.
func (c *tablesNewCommand) write(table *scaffold.Table) (err error) {
	const mode = 0o755
	if err := os.Mkdir(c.To, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	folders, err := scaffold.OpenReplacement(c.To, c.To)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folders.Close()) }()
	if err := folders.Add(c.Name, map[string][]byte{tables.FileName: table.YAML()}); err != nil {
		return err
	}
	return folders.Create(c.Name)
}

// printNext prints what was written and what to do next.
func (c *tablesNewCommand) printNext(term *terminal, table *scaffold.Table, remarks int) error {
	const shown = 3
	names := make([]string, min(len(table.Columns), shown))
	for i := range names {
		name := table.Columns[i].Name
		names[i] = googlesql.QuoteName(name)
		if sqlq.CheckColumnName(name) != nil { // a file's column can have names that a saved query's cannot have
			names[i] += fmt.Sprintf(" AS column_%d", i+1)
		}
	}
	sql := fmt.Sprintf("SELECT %s FROM %s LIMIT 10", strings.Join(names, ", "), c.Name)
	look := ""
	if remarks > 0 {
		look = fmt.Sprintf(" Read its comments: %d about what is a guess or was left out.", remarks)
	}
	_, err := fmt.Fprintf(term.stdout, `Wrote %s with %d columns.%s

Next:
  savedq check --tables %[4]s    checks the tables, their files and all saved queries
  savedq tables %[5]s --sample 5 --tables %[4]s    shows rows
  echo '%[6]s' | savedq new %[5]s.rows --sql - --queries ./queries --tables %[4]s    makes a saved query
`, filepath.Join(c.To, c.Name, tables.FileName), len(table.Columns), look, c.To, c.Name, strings.ReplaceAll(sql, "'", `'\''`))
	return err
}
