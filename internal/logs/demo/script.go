package demo

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/goccy/go-yaml"
)

//go:embed events.yaml
var eventsYAML []byte

// script is the content of events.yaml, which explains it.
type script struct {
	Tables  map[string][]*row
	Streams map[string]*stream
}

// row is a row of a table.
type row struct {
	Name, Project, When string
	Weight              int
	Task                task    `yaml:",inline"`
	Share               float64 // of a project, like the next one
	PeakHour            float64 `yaml:"peak_hour"`
	// texts holds all columns, and cells the templates compiled from them.
	texts map[string]string
	cells map[string]template
}

// UnmarshalYAML reads a row. Its columns also include those that only templates use.
func (r *row) UnmarshalYAML(text []byte) error {
	type fields row // has no UnmarshalYAML
	*r = row{Weight: 1, Task: task{ServerErrors: 0.004, Spread: 0.5}}
	return errors.Join(yaml.Unmarshal(text, (*fields)(r)), yaml.Unmarshal(text, &r.texts))
}

// table holds the rows to draw from outside and during an incident, each as often as its
// weight.
type table struct{ healthy, trouble []*row }

func (t *table) add(added *row) {
	rows := slices.Repeat([]*row{added}, added.Weight)
	if added.When != "trouble" {
		t.healthy = append(t.healthy, rows...)
	}
	if added.When != "healthy" {
		t.trouble = append(t.trouble, rows...)
	}
}

// project is a fictional customer.
type project struct {
	*row
	incident incident
	tables   map[string]*table
}

// stream describes the events of one source.
type stream struct {
	PerMinute    float64 `yaml:"per_minute"`
	AtLeast      int     `yaml:"at_least"`
	NamesProject bool    `yaml:"names_project"`
	Draw         []string
	Values       yaml.MapSlice
	Metadata     string
	Message      string
	// values holds the compiled texts of Values, to which loading adds "metadata" and "message".
	values []value
}

// value is a text of an event, which later ones can contain.
type value struct {
	name     string
	template template
}

// load fills the generator from a script.
func (g *Generator) load(text []byte) error {
	var script script
	if err := yaml.UnmarshalWithOptions(text, &script, yaml.Strict()); err != nil {
		return err
	}
	for _, row := range script.Tables["project"] {
		g.projects = append(g.projects, project{row: row, incident: newIncident(g.key(row.Name)), tables: make(map[string]*table)})
	}
	compiler := newCompiler(&script)
	for name, rows := range script.Tables {
		if err := compiler.compileCells(rows); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
		for _, project := range g.projects {
			project.tables[name] = &table{}
			for _, row := range rows {
				if row.Project == "" || row.Project == project.Name {
					project.tables[name].add(row)
				}
			}
		}
	}
	for name, stream := range script.Streams {
		if err := compiler.compileValues(stream); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	g.streams = script.Streams
	return nil
}

func (c *compiler) compileCells(rows []*row) error {
	for _, row := range rows {
		row.cells = make(map[string]template, len(row.texts))
		for column, text := range row.texts {
			var err error
			if row.cells[column], err = c.compile(text); err != nil {
				return fmt.Errorf("column %s: %w", column, err)
			}
		}
	}
	return nil
}

func (c *compiler) compileValues(stream *stream) error {
	for _, table := range stream.Draw {
		if _, found := c.script.Tables[table]; !found {
			return fmt.Errorf("draws from the unknown table %q", table)
		}
	}
	indent := regexp.MustCompile(`\n\s*`)
	stream.Values = append(stream.Values,
		yaml.MapItem{Key: "metadata", Value: stream.Metadata}, yaml.MapItem{Key: "message", Value: stream.Message})
	for _, text := range stream.Values {
		name := fmt.Sprint(text.Key)
		compiled, err := c.compile(indent.ReplaceAllString(fmt.Sprint(text.Value), ""))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		stream.values = append(stream.values, value{name, compiled})
	}
	return nil
}
