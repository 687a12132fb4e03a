package catalog

import (
	"slices"
	"time"

	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

const (
	day = 24 * time.Hour
	// defaultLateness is how late events of a series may arrive unless it says otherwise.
	defaultLateness = time.Hour
	// byBucket, exact and endless are where windows begin and end.
	byBucket, exact, endless = "bucket", "exact", "none"
	ascending, descending    = "ascending", "descending"
)

// readSeries reads how the rows of a saved query follow from time, after its parameters and
// columns.
func readSeries(m *strictyaml.Mapping, query *sqlq.SavedQuery, places *queryPlaces) {
	if !m.Has("series") {
		return
	}
	s := m.At("series").Mapping("column", "param", "windows", "start", "end", "order", "lateness")
	if s == nil {
		return
	}
	s.Require("column", "windows")
	series := &sqlq.Series{
		Column:     readSeriesColumn(s, query),
		Param:      readSeriesParam(s, query),
		Exact:      s.OneOf("start", byBucket, exact) == exact,
		Endless:    s.OneOf("end", byBucket, endless) == endless,
		Descending: s.OneOf("order", ascending, descending) == descending,
		Lateness:   defaultLateness,
	}
	if s.Has("lateness") {
		series.Lateness = readLength(s, "lateness")
	}
	series.Windows = readWindows(s, series, query)
	for _, reserved := range []string{sqlq.FromParam, sqlq.ToParam} {
		if place, declared := places.params[reserved]; declared {
			s.Start.Mistakef("parameter %q is set for every series and must not be declared (line %d)", reserved, place.Line)
		}
	}
	query.Series, places.series = series, places.of(m.At("series"))
}

// readSeriesColumn reads the column with the start of the bucket, and returns its index.
func readSeriesColumn(s *strictyaml.Mapping, query *sqlq.SavedQuery) int {
	name := s.Text("column")
	index := slices.IndexFunc(query.Columns, func(column sqlq.Column) bool { return column.Name == name })
	switch {
	case name == "": // reported already
	case index < 0:
		s.At("column").Mistakef("column %q is not among the columns", name)
	case !slices.Contains([]sqlq.Type{sqlq.Timestamp, sqlq.Datetime, sqlq.Date}, query.Columns[index].Type):
		s.At("column").Mistakef("column %q has the type %s; the start of a bucket is a TIMESTAMP, DATETIME or DATE", name, query.Columns[index].Type)
	}
	return max(index, 0)
}

// readSeriesParam reads the parameter that selects the window, and returns its index.
func readSeriesParam(s *strictyaml.Mapping, query *sqlq.SavedQuery) int {
	if !s.Has("param") {
		return -1
	}
	name := s.Text("param")
	index := slices.IndexFunc(query.Params, func(param sqlq.Param) bool { return param.Name == name })
	switch {
	case name == "": // reported already
	case index < 0:
		s.At("param").Mistakef("parameter %q is not declared", name)
	case query.Params[index].Type != sqlq.String || len(query.Params[index].Allowed) == 0:
		s.At("param").Mistakef("parameter %q must be a STRING with allowed values, which windows lists", name)
	case !query.Params[index].Required && query.Params[index].Default == nil:
		s.At("param").Mistakef("parameter %q must be required or have a default, because each run needs a window", name)
	}
	return index
}

// readWindows reads the windows, one for each allowed value of the parameter.
func readWindows(s *strictyaml.Mapping, series *sqlq.Series, query *sqlq.SavedQuery) map[string]sqlq.Window {
	windows := make(map[string]sqlq.Window)
	for _, node := range s.List("windows", emptyList) {
		w := node.Mapping("value", "length", "bucket")
		if w == nil {
			continue
		}
		w.Require("length", "bucket")
		value := ""
		if text := w.Scalar("value"); text != nil {
			value = *text
		}
		window := sqlq.Window{Length: readLength(w, "length"), Bucket: readLength(w, "bucket")}
		_, repeated := windows[value]
		switch {
		case repeated:
			node.Mistakef("there are two windows for %q", value)
		case series.Param < 0 && w.Has("value"):
			w.At("value").Mistakef("value needs param, which names the parameter that selects the window")
		case series.Param >= 0 && !slices.Contains(query.Params[series.Param].Allowed, value):
			node.Mistakef("%q is not among the allowed values of parameter %q", value, query.Params[series.Param].Name)
		case window.Bucket > 0 && day%window.Bucket != 0:
			w.At("bucket").Mistakef("bucket %s does not divide a day; buckets are counted from midnight in UTC, such as 1s, 5m, 1h or 1d", *w.Scalar("bucket"))
		case window.Length > 0 && window.Length < window.Bucket:
			w.At("length").Mistakef("length is shorter than bucket")
		}
		windows[value] = window
	}
	if series.Param >= 0 && s.Has("windows") {
		for _, value := range query.Params[series.Param].Allowed {
			if _, ok := windows[value]; !ok {
				s.At("windows").Mistakef("the allowed value %q of parameter %q has no window", value, query.Params[series.Param].Name)
			}
		}
	}
	return windows
}

// readLength reads a duration that can be a number of days.
func readLength(m *strictyaml.Mapping, key string) time.Duration {
	return readSeconds(m, key, "a duration of whole seconds, such as 30s, 5m, 1h or 7d")
}
