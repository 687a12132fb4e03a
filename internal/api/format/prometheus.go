package format

import (
	"cmp"
	"strconv"
	"strings"

	"savedq/sqlq"
)

const (
	// mostPrometheusSamples limits a scrape. Prometheus holds every series in memory.
	mostPrometheusSamples = 10_000
	// metricNamespace begins the name of each metric.
	metricNamespace = "savedq_"
)

// encodePrometheus returns rows in the text exposition format of Prometheus, version 0.0.4: a sample for each row and
// numeric column, as a gauge savedq_<query>_<column> whose labels are the columns of texts and booleans. A NULL number
// has no sample, and a NULL text no label. Times and nested values are left out. The error is INVALID_ARGUMENT.
func encodePrometheus(query string, result *sqlq.Result) ([]byte, error) {
	e := &exposition{result: result}
	if err := e.sortColumns(query); err != nil {
		return nil, err
	}
	switch samples := len(result.Rows) * len(e.metrics); {
	case len(e.metrics) == 0:
		return nil, notMetrics("have no numeric column; select a number, such as COUNT(*)")
	case result.Truncated:
		return nil, notMetrics("are cut off, so that metrics would be missing; let the query return fewer")
	case samples > mostPrometheusSamples:
		return nil, notMetrics("are %d samples, and the most are %d; let the query return fewer", samples, mostPrometheusSamples)
	}
	if err := e.labelRows(); err != nil {
		return nil, err
	}
	var out []byte
	for _, metric := range e.metrics {
		out = e.appendMetric(out, metric)
	}
	return out, nil
}

// notMetrics returns the error for rows that cannot be metrics.
func notMetrics(format string, args ...any) error {
	return sqlq.ParamErrorf("format", "the rows cannot be metrics of Prometheus: they "+format, args...)
}

// exposition is a result that is being encoded.
type exposition struct {
	result          *sqlq.Result
	metrics, labels []namedColumn
	// rowLabels are the labels of each row, as they are written.
	rowLabels []string
}

// namedColumn is a column with its name in Prometheus.
type namedColumn struct {
	index int
	name  string
}

// sortColumns finds the columns that are metrics, and those that are labels.
func (e *exposition) sortColumns(query string) error {
	if one, other, name := collision(query, e.result.Columns); name != "" {
		return notMetrics("have the columns %s and %s, which are both %s; rename one with AS", sqlq.Quote(e.result.Columns[one].Name), sqlq.Quote(e.result.Columns[other].Name), name)
	}
	for i := range e.result.Columns {
		switch name, isMetric := prometheusName(query, &e.result.Columns[i]); {
		case isMetric:
			e.metrics = append(e.metrics, namedColumn{i, name})
		case name != "":
			e.labels = append(e.labels, namedColumn{i, name})
		}
	}
	return nil
}

// prometheusName returns the name of a column as a metric or a label; empty if it is neither.
func prometheusName(query string, column *sqlq.Column) (name string, isMetric bool) {
	switch column.Type { //nolint:exhaustive // Others are left out.
	case sqlq.Int64, sqlq.Float64, sqlq.Numeric:
		return metricNamespace + nameCharacters(query) + "_" + nameCharacters(column.Name), true
	case sqlq.String, sqlq.Bool:
		return labelName(column.Name), false
	}
	return "", false
}

// collision returns the first two columns that have the same name in Prometheus; the name is empty if there are none.
func collision(query string, columns []sqlq.Column) (one, other int, name string) {
	taken := make(map[string]int)
	for i := range columns {
		name, _ := prometheusName(query, &columns[i])
		if first, found := taken[name]; found && name != "" {
			return first, i, name
		}
		taken[name] = i
	}
	return 0, 0, ""
}

// Mistakes returns the mistakes in a saved query that no request in one of the formats would get past: columns with the same name in
// Prometheus.
func Mistakes(query *sqlq.SavedQuery) sqlq.FileErrors {
	one, other, name := collision(query.Name, query.Columns)
	if name == "" {
		return nil
	}
	return sqlq.FileErrors{query.Columns[other].Place.Mistakef("the columns %s and %s are both %s in Prometheus' format; rename one with AS",
		sqlq.Quote(query.Columns[one].Name), sqlq.Quote(query.Columns[other].Name), name)}
}

// labelRows writes the labels of each row. Two rows with the same labels would be one series.
func (e *exposition) labelRows() error {
	seen := make(map[string]int, len(e.result.Rows))
	for i, row := range e.result.Rows {
		var labels []byte
		for _, label := range e.labels {
			value := string(appendText(nil, &e.result.Columns[label.index], row[label.index]))
			if value == "" { // which Prometheus takes for no label
				continue
			}
			if labels == nil {
				labels = append(labels, '{')
			} else {
				labels = append(labels, ',')
			}
			labels = append(append(labels, label.name...), `="`...)
			labels = append(append(labels, escape(value, `"`, `\"`)...), '"')
		}
		if labels != nil {
			labels = append(labels, '}')
		}
		written := string(labels)
		if first, found := seen[written]; found {
			return notMetrics("have the same labels %s twice, in rows %d and %d; group the rows by their texts, or select only the newest", sqlq.Quote(cmp.Or(written, "{}")), first+1, i+1)
		}
		seen[written] = i
		e.rowLabels = append(e.rowLabels, written)
	}
	return nil
}

// appendMetric appends the samples of a metric. A metric without samples is left out.
func (e *exposition) appendMetric(out []byte, metric namedColumn) []byte {
	column, begun := &e.result.Columns[metric.index], false
	for i, row := range e.result.Rows {
		value := row[metric.index]
		if value == nil {
			continue
		}
		if !begun {
			begun = true
			if column.Description != "" {
				out = append(out, "# HELP "+metric.name+" "+escape(column.Description)+"\n"...)
			}
			out = append(out, "# TYPE "+metric.name+" gauge\n"...)
		}
		out = append(append(out, metric.name...), e.rowLabels[i]...)
		out = append(appendSample(append(out, ' '), column, value), '\n')
	}
	return out
}

// appendSample appends a number. It writes NaN, +Inf and -Inf as Prometheus does.
func appendSample(out []byte, column *sqlq.Column, value any) []byte {
	if number, ok := value.(float64); ok {
		return strconv.AppendFloat(out, number, 'g', -1, 64)
	}
	return appendText(out, column, value)
}

// escape escapes a text for a line, and replaces further texts, given in pairs.
func escape(text string, further ...string) string {
	return strings.NewReplacer(append(further, `\`, `\\`, "\n", `\n`)...).Replace(strings.ToValidUTF8(text, "\ufffd"))
}

// labelName returns the name of a label. Names with two leading underscores belong to Prometheus.
func labelName(column string) string {
	name := nameCharacters(column)
	if name == "" || name[0] >= '0' && name[0] <= '9' || strings.HasPrefix(name, "__") {
		return "label_" + name
	}
	return name
}

// nameCharacters replaces each character that a name cannot have with an underscore.
func nameCharacters(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, text)
}
