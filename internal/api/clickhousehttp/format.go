package clickhousehttp

import (
	"slices"
	"strconv"
	"time"

	"savedq/sqlq"
)

// rows are a result as the formats take it.
type rows struct {
	names  []string
	types  []*dataType
	values [][]any
	took   time.Duration
}

// rowsOf returns the rows of a result whose columns have types of ClickHouse.
func rowsOf(result *sqlq.Result, types []string) (*rows, error) {
	all := &rows{values: make([][]any, len(result.Rows))}
	for i, column := range result.Columns {
		typ, err := typeOf(types[i])
		if err != nil {
			return nil, err
		}
		all.names, all.types = append(all.names, column.Name), append(all.types, typ)
	}
	for n, row := range result.Rows {
		all.values[n] = make([]any, len(row))
		for i, value := range row {
			var err error
			if all.values[n][i], err = all.types[i].valueOf(value); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// typeNames are the types as they are written.
func (r *rows) typeNames() []string {
	names := make([]string, len(r.types))
	for i, typ := range r.types {
		names[i] = typ.written
	}
	return names
}

// options are what a request says about the encoding.
type options struct {
	// revision is the version of the protocol for Native.
	revision int
	// quoteInts means that whole numbers of 64 bits are strings in JSON.
	quoteInts bool
}

// format is an output format.
type format struct {
	name, contentType string
	encode            func(rows *rows, options options) []byte
}

// formats are those that clients of ClickHouse ask for. The first is the default.
func formats() []format {
	const (
		tabs   = "text/tab-separated-values; charset=UTF-8"
		json   = "application/json; charset=UTF-8"
		lines  = "application/x-ndjson; charset=UTF-8"
		binary = "application/octet-stream"
	)
	return []format{
		{"TabSeparated", tabs, tabSeparated(false, false)},
		{"TabSeparatedWithNames", tabs, tabSeparated(true, false)},
		{"TabSeparatedWithNamesAndTypes", tabs, tabSeparated(true, true)},
		{"CSV", "text/csv; charset=UTF-8; header=absent", csv(false)},
		{"CSVWithNames", "text/csv; charset=UTF-8; header=present", csv(true)},
		{"JSON", json, whole((*rows).appendObject)},
		{"JSONCompact", json, whole((*rows).appendList)},
		{"JSONEachRow", lines, eachRow((*rows).appendObject, false)},
		{"JSONCompactEachRow", lines, eachRow((*rows).appendSpacedList, false)},
		{"JSONCompactEachRowWithNamesAndTypes", lines, eachRow((*rows).appendSpacedList, true)},
		{"Native", binary, func(rows *rows, options options) []byte { return appendNative(nil, rows, options.revision) }},
		{"RowBinaryWithNamesAndTypes", binary, func(rows *rows, _ options) []byte { return appendRowBinary(nil, rows) }},
	}
}

// otherNames are further names of formats.
func otherNames() map[string]string {
	return map[string]string{
		"TSV": "TabSeparated", "TSVWithNames": "TabSeparatedWithNames", "TSVWithNamesAndTypes": "TabSeparatedWithNamesAndTypes",
		"JSONLines": "JSONEachRow", "NDJSON": "JSONEachRow",
	}
}

// formatNamed returns the format with a name. The default has none.
func formatNamed(name string) (format, error) {
	all := formats()
	if other := otherNames()[name]; other != "" {
		name = other
	}
	at := slices.IndexFunc(all, func(one format) bool { return one.name == name })
	switch {
	case name == "":
		return all[0], nil
	case at < 0:
		names := make([]string, len(all))
		for i, one := range all {
			names[i] = one.name
		}
		return format{}, failuref(unknownFormat, "the format %s is not supported; use one of %s", sqlq.Quote(name), listed(names))
	}
	return all[at], nil
}

func tabSeparated(hasNames, hasTypes bool) func(*rows, options) []byte {
	return func(rows *rows, _ options) []byte {
		var out []byte
		line := func(texts []string) {
			for i, text := range texts {
				if i > 0 {
					out = append(out, '\t')
				}
				out = appendEscaped(out, text)
			}
			out = append(out, '\n')
		}
		if hasNames {
			line(rows.names)
		}
		if hasTypes {
			line(rows.typeNames())
		}
		for _, row := range rows.values {
			for i, value := range row {
				if i > 0 {
					out = append(out, '\t')
				}
				out = rows.types[i].appendText(out, value, false, appendEscaped)
			}
			out = append(out, '\n')
		}
		return out
	}
}

func csv(hasNames bool) func(*rows, options) []byte {
	return func(rows *rows, _ options) []byte {
		var out []byte
		if hasNames {
			for i, name := range rows.names {
				if i > 0 {
					out = append(out, ',')
				}
				out = appendCSVText(out, name)
			}
			out = append(out, '\n')
		}
		for _, row := range rows.values {
			for i, value := range row {
				if i > 0 {
					out = append(out, ',')
				}
				out = rows.types[i].appendCSV(out, value)
			}
			out = append(out, '\n')
		}
		return out
	}
}

// appendCSV appends a value of CSV: a tuple as columns of its own, and arrays and maps in quotes.
func (t *dataType) appendCSV(dst []byte, value any) []byte {
	switch t.name {
	case "Tuple":
		members, _ := value.([]any)
		for i, one := range members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = t.inner[i].appendCSV(dst, one)
		}
		return dst
	case "Array", "Map":
		return appendCSVText(dst, string(t.appendText(nil, value, false, appendEscaped)))
	}
	return t.appendText(dst, value, false, appendCSVText)
}

func appendCSVText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := range len(text) {
		if text[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}

// whole encodes rows with what describes them.
func whole(appendRow func(r *rows, dst []byte, row []any, options options) []byte) func(*rows, options) []byte {
	return func(rows *rows, options options) []byte {
		out := []byte(`{"meta":[`)
		for i, name := range rows.names {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendJSONText(append(out, `{"name":`...), name)
			out = append(appendJSONText(append(out, `,"type":`...), rows.types[i].written), '}')
		}
		out = append(out, `],"data":[`...)
		for n, row := range rows.values {
			if n > 0 {
				out = append(out, ',')
			}
			out = appendRow(rows, append(out, '\n'), row, options)
		}
		out = strconv.AppendInt(append(out, `],"rows":`...), int64(len(rows.values)), 10)
		out = strconv.AppendFloat(append(out, `,"statistics":{"elapsed":`...), rows.took.Seconds(), 'f', -1, 64)
		return append(out, "}}\n"...)
	}
}

// eachRow encodes each row as a line.
func eachRow(appendRow func(r *rows, dst []byte, row []any, options options) []byte, hasHead bool) func(*rows, options) []byte {
	return func(rows *rows, options options) []byte {
		var out []byte
		if hasHead {
			for _, head := range [][]string{rows.names, rows.typeNames()} {
				out = append(out, '[')
				for i, text := range head {
					if i > 0 {
						out = append(out, ", "...)
					}
					out = appendJSONText(out, text)
				}
				out = append(out, "]\n"...)
			}
		}
		for _, row := range rows.values {
			out = append(appendRow(rows, out, row, options), '\n')
		}
		return out
	}
}

func (r *rows) appendObject(dst []byte, row []any, options options) []byte {
	dst = append(dst, '{')
	for i, value := range row {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONText(dst, r.names[i]), ':')
		dst = r.types[i].appendJSON(dst, value, options.quoteInts)
	}
	return append(dst, '}')
}

func (r *rows) appendList(dst []byte, row []any, options options) []byte {
	return r.appendValues(dst, row, ",", options)
}

// appendSpacedList appends a row as JSONCompactEachRow has it.
func (r *rows) appendSpacedList(dst []byte, row []any, options options) []byte {
	return r.appendValues(dst, row, ", ", options)
}

func (r *rows) appendValues(dst []byte, row []any, separator string, options options) []byte {
	dst = append(dst, '[')
	for i, value := range row {
		if i > 0 {
			dst = append(dst, separator...)
		}
		dst = r.types[i].appendJSON(dst, value, options.quoteInts)
	}
	return append(dst, ']')
}
