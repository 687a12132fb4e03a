package demo

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"

	"github.com/goccy/go-yaml"
)

//go:embed events.yaml
var eventsYAML []byte

// script is the content of events.yaml, which explains it.
type script struct {
	Tables  map[string][]map[string]string
	Streams map[string]struct {
		PerMinute    float64 `yaml:"per_minute"`
		AtLeast      int     `yaml:"at_least"`
		NamesProject bool    `yaml:"names_project"`
		Draw         []string
		Values       yaml.MapSlice
		Metadata     string
		Message      string
	}
}

// row is a row of a table.
type row struct {
	cells map[string]template
	task  *task // nil if the row is no task
}

// table has the rows to draw from outside and during an incident.
type table struct{ healthy, trouble weighted[*row] }

// project is a fictional customer.
type project struct {
	name            string
	share, peakHour float64
	incident        incident
	row             *row
	tables          []table
}

// stream describes the events of one source.
type stream struct {
	perMinute    float64
	atLeast      int
	namesProject bool
	draw         []int // tables
	values       []value
}

// Every event has these values. Others are texts that an event uses more than once.
const (
	metadataValue = iota
	messageValue
)

// value is a text of an event.
type value struct {
	index    int
	template template
}

// load fills the generator from a script.
func (g *Generator) load(text []byte) error {
	var script script
	if err := yaml.UnmarshalWithOptions(text, &script, yaml.Strict()); err != nil {
		return err
	}
	compiler := newCompiler(&script)
	if err := g.loadTables(&script, compiler); err != nil {
		return err
	}
	indent := regexp.MustCompile(`\n\s*`)
	for name, lines := range script.Streams {
		stream := stream{perMinute: lines.PerMinute, atLeast: lines.AtLeast, namesProject: lines.NamesProject}
		for _, table := range lines.Draw {
			index, found := compiler.tables[table]
			if !found {
				return fmt.Errorf("%s: draws from the unknown table %q", name, table)
			}
			stream.draw = append(stream.draw, index)
		}
		values := append(lines.Values, yaml.MapItem{Key: "metadata", Value: lines.Metadata}, yaml.MapItem{Key: "message", Value: lines.Message})
		for _, item := range values {
			key := fmt.Sprint(item.Key)
			compiled, err := compiler.compile(indent.ReplaceAllString(fmt.Sprint(item.Value), ""))
			if err != nil {
				return fmt.Errorf("%s: %s: %w", name, key, err)
			}
			stream.values = append(stream.values, value{index: compiler.values[key], template: compiled})
		}
		g.streams[name] = stream
	}
	g.values = len(compiler.values)
	return nil
}

func (g *Generator) loadTables(script *script, compiler *compiler) error {
	for _, cells := range script.Tables["project"] {
		project := project{name: cells["name"], tables: make([]table, len(script.Tables))}
		project.share, project.peakHour = number(cells, "share", 0), number(cells, "peak_hour", 0)
		project.incident = newIncident(g.key(project.name))
		project.row = &row{cells: map[string]template{"name": {appendLiteral(project.name)}}}
		g.projects = append(g.projects, project)
	}
	g.projectTable = compiler.tables["project"]
	for name, rows := range script.Tables {
		for _, cells := range rows {
			loaded := &row{cells: make(map[string]template, len(cells)), task: newTask(cells)}
			for column, text := range cells {
				var err error
				if loaded.cells[column], err = compiler.compile(text); err != nil {
					return fmt.Errorf("table %s: column %s: %w", name, column, err)
				}
			}
			for _, project := range g.projects {
				if owner := cells["project"]; owner == "" || owner == project.name {
					project.tables[compiler.tables[name]].add(cells, loaded)
				}
			}
		}
	}
	return nil
}

func (t *table) add(cells map[string]string, row *row) {
	weight := int(number(cells, "weight", 1))
	if cells["when"] != "trouble" {
		t.healthy.add(weight, row)
	}
	if cells["when"] != "healthy" {
		t.trouble.add(weight, row)
	}
}

// number returns a numeric cell, or the other number if the row has no such cell.
func number(cells map[string]string, column string, otherwise float64) float64 {
	if value, err := strconv.ParseFloat(cells[column], 64); err == nil {
		return value
	}
	return otherwise
}
