package querytest

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

const (
	// Directory is the directory of case files in the folder of a saved query.
	Directory = "tests"
	// mostFileBytes limits a case file.
	mostFileBytes = 4 << 20
	emptyCases    = "must not be empty"
)

// ReadFolder reads the case files in the folder of a saved query: tests/*.yaml, by name. folder
// is its path, for messages, and tables have the log sources of events. The error is a [sqlq.FileErrors] if files have mistakes.
func ReadFolder(files fs.FS, folder string, tables sqlq.Tables) ([]*File, error) {
	names, err := fs.Glob(files, Directory+"/*.yaml")
	if err != nil {
		return nil, err
	}
	var read []*File
	var mistakes sqlq.FileErrors
	for _, name := range names {
		place := path.Join(folder, name)
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", place, err)
		}
		file, found := ReadFile(place, data, tables)
		mistakes = append(mistakes, found...)
		read = append(read, file)
	}
	others, err := fs.Glob(files, Directory+"/*.yml")
	for _, name := range others {
		mistakes = append(mistakes, &sqlq.FileError{File: path.Join(folder, name), Message: "is not read; name it .yaml"})
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	return read, err
}

// ReadFile reads a case file. It returns all mistakes.
func ReadFile(path string, data []byte, tables sqlq.Tables) (*File, sqlq.FileErrors) {
	reader := &strictyaml.Reader{MostBytes: mostFileBytes, SecondDocument: "a file holds one list of cases; remove the second document"}
	r := &fileReader{path: path, tables: tables, names: make(map[string]bool)}
	file := &File{Path: path, Data: data}
	if m := reader.Read(data, "cases"); m != nil {
		m.Require("cases")
		for _, node := range m.List("cases", emptyCases) {
			file.Cases = append(file.Cases, r.readCase(node))
		}
	}
	return file, sqlq.FileErrorsIn(path, reader.Mistakes())
}

type fileReader struct {
	path   string
	tables sqlq.Tables
	// names are the names of the cases so far.
	names map[string]bool
}

func (r *fileReader) place(node strictyaml.Node) sqlq.Place {
	node = node.First()
	return sqlq.Place{File: r.path, Line: node.Line(), Column: node.Column()}
}

func (r *fileReader) readCase(node strictyaml.Node) Case {
	c := Case{Place: r.place(node)}
	m := node.Mapping("name", "now", "params", "alert", "events", "tables", "expect")
	if m == nil {
		return c
	}
	m.Require("name", "now")
	c.Name = m.Text("name")
	if c.Name != "" && r.names[c.Name] {
		m.At("name").Mistakef("two cases have the name %q", c.Name)
	}
	r.names[c.Name] = true
	c.Now = strictyaml.Value(m, "now", time.Time{}, readNow)
	if m.Has("params") {
		c.Params = r.readParams(m.At("params"))
	}
	if m.Has("alert") {
		c.Alert = m.Text("alert")
		if m.Has("params") {
			m.At("params").Mistakef("a case of an alert runs with the parameters of the alert; leave params out")
		}
	}
	if m.Has("events") {
		c.Data.Events = r.readEvents(m.At("events"), c.Now)
	}
	if m.Has("tables") {
		c.Data.Tables = r.readTables(m.At("tables"), c.Data.Events)
	}
	if m.Has("expect") {
		c.Want = r.readExpectation(m.At("expect"), c.Alert)
	}
	return c
}

func readNow(node strictyaml.Node) (time.Time, error) {
	text, ok := node.Scalar()
	now, err := time.Parse(time.RFC3339Nano, text)
	if !ok || err != nil {
		return time.Time{}, errors.New("now must be a time such as 2026-11-20T12:00:00Z")
	}
	return now.UTC().Truncate(time.Microsecond), nil
}

func (r *fileReader) readParams(node strictyaml.Node) map[string][]string {
	entries, ok := node.Entries()
	if !ok {
		node.Mistakef("params must be a mapping of names to values")
	}
	params := make(map[string][]string, len(entries))
	for _, entry := range entries {
		params[entry.Name] = entry.Value.Texts("a parameter must be a single value, or a list of them for an array; leave it out instead of null")
	}
	return params
}

func (r *fileReader) readEvents(node strictyaml.Node, now time.Time) []SourceEvents {
	entries, ok := node.Entries()
	if !ok {
		node.Mistakef("events must be a mapping of log sources to lists of events")
	}
	var all []SourceEvents
	for _, entry := range entries {
		source, err := r.tables.Source(entry.Name)
		if err != nil {
			entry.Key.Mistakef("%s", err)
			continue
		}
		items, ok := entry.Value.Items()
		if !ok {
			entry.Value.Mistakef("must be a list of events")
		}
		events := SourceEvents{Source: source}
		for i, item := range items {
			id := func() string { return fmt.Sprintf("%s-%d", source.Name, i+1) }
			event, ignored, err := logevent.Decode(item.JSON(), logevent.Defaults{Now: now, Rows: source.TakesRows(), ID: id})
			if err != nil {
				item.First().Mistakef("%s", err)
			}
			for _, name := range ignored {
				item.First().Mistakef("an event has no field %q; its fields are id, timestamp, event_message, project and metadata", name)
			}
			events.Events = append(events.Events, event)
		}
		all = append(all, events)
	}
	return all
}

func (r *fileReader) readTables(node strictyaml.Node, events []SourceEvents) []TableRows {
	entries, ok := node.Entries()
	if !ok {
		node.Mistakef("tables must be a mapping of tables to lists of rows")
	}
	var all []TableRows
	for _, entry := range entries {
		if slices.ContainsFunc(events, func(source SourceEvents) bool { return source.Source.Name == entry.Name }) {
			entry.Key.Mistakef("the case has events of %s already", entry.Name)
		}
		all = append(all, TableRows{Table: entry.Name, Place: r.place(entry.Key), Rows: r.readRows(entry.Value)})
	}
	return all
}

// readRows reads a list of rows, which can be empty.
func (r *fileReader) readRows(node strictyaml.Node) []Row {
	items, ok := node.Items()
	if !ok {
		node.Mistakef("must be a list of rows, each a mapping of columns to values")
	}
	rows := []Row{}
	for _, item := range items {
		entries, ok := item.Entries()
		if !ok {
			item.Mistakef("a row must be a mapping of columns to values")
		}
		row := Row{Place: r.place(item)}
		for _, entry := range entries {
			row.Values = append(row.Values, Value{Column: entry.Name, Place: r.place(entry.Value), JSON: entry.Value.JSON()})
		}
		rows = append(rows, row)
	}
	return rows
}

func (r *fileReader) readExpectation(node strictyaml.Node, alert string) *Expectation {
	m := node.Mapping("rows", "truncated", "tolerance", "error", "state")
	if m == nil {
		return nil
	}
	want := &Expectation{
		Truncated: m.Boolean("truncated", false),
		Tolerance: strictyaml.Value(m, "tolerance", 0, func(node strictyaml.Node) (float64, error) {
			if number := node.Number(); number >= 0 && !math.IsInf(number, 0) {
				return number, nil
			}
			return 0, errors.New("tolerance must be a number that is not negative")
		}),
	}
	if m.Has("state") {
		want.State = m.OneOf("state", stateOf(sqlq.Met), stateOf(sqlq.Unmet), stateOf(sqlq.NoData))
		if alert == "" {
			m.At("state").Mistakef("state needs alert, which names the alert whose condition is checked")
		}
	}
	switch {
	case m.Has("error"):
		for _, key := range []string{"rows", "truncated", "tolerance", "state"} {
			if m.Has(key) {
				m.At(key).Mistakef("a case expects rows or an error; %s is for rows", key)
			}
		}
		want.Error = readError(m.At("error"))
	case m.Has("rows"):
		want.Rows = r.readRows(m.At("rows"))
	case !m.Has("state"):
		m.Start.Mistakef("expect needs rows or error")
	}
	return want
}

func readError(node strictyaml.Node) *ExpectedError {
	m := node.Mapping("code", "message")
	if m == nil {
		return nil
	}
	m.Require("code")
	want := &ExpectedError{Message: m.Text("message")}
	if code := sqlq.Code(m.Text("code")); code != "" {
		if want.Code = code; !slices.Contains(sqlq.Codes(), code) {
			m.At("code").Mistakef("%q is not an error code; use one of %s", code, sqlq.Join(sqlq.Codes()))
		}
	}
	return want
}
