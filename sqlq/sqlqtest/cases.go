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
	Name string
	// Title is a sentence with the rule that must hold.
	Title string
	// Proves names the rules ("2.4 rule 3") and decisions ("D7") at stake.
	Proves []string
	// Logs are the content of the engine's tables.
	Logs Logs
	// Questions run one after the other.
	Questions []Question
}

// Question is a saved query with its raw parameters, and the wanted result.
type Question struct {
	Title string
	// Query is the saved query's name.
	Query string
	// Params are raw, as in a query string.
	Params map[string]string
	Now    time.Time
	// MaxRows replaces the saved query's max rows; zero leaves it as it is.
	MaxRows int
	// Want is the wanted result, with the columns of the specification.
	Want sqlq.Result
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

// caseFile is the text form of a [Case].
type caseFile struct {
	Title     string                 `yaml:"title"`
	Proves    []string               `yaml:"proves"`
	Query     string                 `yaml:"query"`
	Now       string                 `yaml:"now"`
	Logs      map[string][]eventLine `yaml:"logs"`
	Questions []questionText         `yaml:"questions"`
}

// questionText is the text form of a [Question]. A question without a time of
// its own is asked at the case's.
type questionText struct {
	Title   string            `yaml:"title"`
	Now     string            `yaml:"now"`
	Params  map[string]string `yaml:"params"`
	MaxRows int               `yaml:"max_rows"`
	Want    wantText          `yaml:"want"`
}

// wantText is the text form of a wanted result.
type wantText struct {
	Truncated bool  `yaml:"truncated"`
	Rows      []any `yaml:"rows"`
}

// parseCase reads a case file strictly: an unknown key is a mistake.
func parseCase(name string, text []byte) (Case, error) {
	var file caseFile
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&file); err != nil {
		return Case{}, err
	}
	if file.Title == "" || len(file.Proves) == 0 || len(file.Questions) == 0 {
		return Case{}, errors.New("title, proves and questions are required")
	}
	logs, err := logsOf(file.Logs)
	if err != nil {
		return Case{}, err
	}
	parsed := Case{Name: name, Title: file.Title, Proves: file.Proves, Logs: logs}
	for _, text := range file.Questions {
		question, err := text.question(file)
		if err != nil {
			return Case{}, fmt.Errorf("question %q: %w", text.Title, err)
		}
		parsed.Questions = append(parsed.Questions, question)
	}
	return parsed, nil
}

// question converts a question of the file.
func (q questionText) question(file caseFile) (Question, error) {
	if q.Title == "" {
		return Question{}, errors.New("a title is required")
	}
	now, err := parseInstant(cmp.Or(q.Now, file.Now))
	if err != nil {
		return Question{}, fmt.Errorf("now: %w", err)
	}
	columns := columnsOf(file.Query)
	if columns == nil {
		return Question{}, fmt.Errorf("no shipped saved query is named %q", file.Query)
	}
	rows, err := parseRows(columns, q.Want.Rows)
	if err != nil {
		return Question{}, err
	}
	return Question{
		Title: q.Title, Query: file.Query, Params: q.Params, Now: now, MaxRows: q.MaxRows,
		Want: sqlq.Result{Columns: columns, Rows: rows, Truncated: q.Want.Truncated},
	}, nil
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
