package sqlqtest

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"savedq/sqlq"
)

//go:embed testdata/cases/*.yaml
var caseFiles embed.FS

// caseFolder is where the case files are. README.md describes their shape.
const caseFolder = "testdata/cases"

// Case is a named boundary case: logs, questions about them, and the rows that the
// specification demands.
type Case struct {
	// Name is the case file's name without its extension.
	Name string `yaml:"-"`
	// Title is a sentence with the rule that must hold.
	Title string `yaml:"title"`
	// Proves names the rules ("2.4 rule 3") and decisions ("D7") at stake.
	Proves []string `yaml:"proves"`
	// Logs are the content of the engine's tables, and Lines as the file has it.
	Logs  Logs                   `yaml:"-"`
	Lines map[string][]eventLine `yaml:"logs"`
	// Query is the saved query's name, and Now when a question without a time of its own is asked.
	Query string `yaml:"query"`
	Now   string `yaml:"now"`
	// Questions run one after the other.
	Questions []Question `yaml:"questions"`
}

// Question is a saved query with its raw parameters, and the wanted result.
type Question struct {
	Title string `yaml:"title"`
	Query string `yaml:"-"`
	// Params are raw, as in a query string.
	Params map[string]string `yaml:"params"`
	Now    time.Time         `yaml:"-"`
	At     string            `yaml:"now"`
	// MaxRows replaces the saved query's max rows; zero leaves it as it is.
	MaxRows int `yaml:"max_rows"`
	// Want is the wanted result, with the columns of the specification, and Wanted as the file has it.
	Want   sqlq.Result `yaml:"-"`
	Wanted struct {
		Truncated bool  `yaml:"truncated"`
		Rows      []any `yaml:"rows"`
	} `yaml:"want"`
}

// Cases reads all case files.
func Cases() ([]Case, error) {
	entries, err := caseFiles.ReadDir(caseFolder)
	if err != nil {
		return nil, fmt.Errorf("list the case files: %w", err)
	}
	cases := make([]Case, 0, len(entries))
	for _, entry := range entries {
		text, err := caseFiles.ReadFile(path.Join(caseFolder, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("read a case file: %w", err)
		}
		read, err := parseCase(strings.TrimSuffix(entry.Name(), ".yaml"), text)
		if err != nil {
			return nil, fmt.Errorf("case file %s: %w", entry.Name(), err)
		}
		cases = append(cases, read)
	}
	return cases, nil
}

// parseCase reads a case file strictly: an unknown key is a mistake.
func parseCase(name string, text []byte) (c Case, err error) {
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&c); err != nil {
		return Case{}, err
	}
	c.Name = name
	if c.Title == "" || len(c.Proves) == 0 || len(c.Questions) == 0 {
		return Case{}, errors.New("title, proves and questions are required")
	}
	if c.Logs, err = logsOf(c.Lines); err != nil {
		return Case{}, err
	}
	for i := range c.Questions {
		if err := c.Questions[i].parse(&c); err != nil {
			return Case{}, fmt.Errorf("question %q: %w", c.Questions[i].Title, err)
		}
	}
	return c, nil
}

// parse sets what a question has from its case, and from texts.
func (q *Question) parse(c *Case) (err error) {
	if q.Title == "" {
		return errors.New("a title is required")
	}
	q.Query = c.Query
	if q.Now, err = parseInstant(cmp.Or(q.At, c.Now)); err != nil {
		return fmt.Errorf("now: %w", err)
	}
	q.Want.Columns, q.Want.Truncated = columnsOf(c.Query), q.Wanted.Truncated
	if q.Want.Columns == nil {
		return fmt.Errorf("no shipped saved query is named %q", c.Query)
	}
	q.Want.Rows, err = parseRows(q.Want.Columns, q.Wanted.Rows)
	return err
}

// parseInstant reads a time of a case file: RFC 3339, in UTC, microseconds.
func parseInstant(text string) (time.Time, error) {
	instant, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, err
	}
	if !isUTC(instant) || !instant.Equal(instant.Truncate(time.Microsecond)) {
		return time.Time{}, fmt.Errorf("%s is not in UTC or finer than microseconds", text)
	}
	return instant.UTC(), nil
}
