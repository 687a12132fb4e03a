// Package format encodes the rows of saved queries for callers. Each output format but JSON has a
// file of its own and a line in [All]. The command line, REST and the OpenAPI document take
// their formats from there.
package format

import (
	"bytes"
	"io"
	"strings"

	"savedq/sqlq"
)

// TruncatedHeader is "true" on a response whose rows were cut off at the most that there can be (D24).
const TruncatedHeader = "X-Truncated"

// Format is an output format.
type Format struct {
	// Name is the value of --format and of the parameter "format".
	Name string
	// MediaType selects the format in an Accept header, unless it has parameters. It is empty for a format that only
	// the command line prints.
	MediaType string
	// Binary is true for a format that is not text.
	Binary bool
	// Compressed is true for a format that compresses the rows itself.
	Compressed bool
	// ErrorLine is true for a format whose last line can be an error in JSON.
	ErrorLine bool
	// Encode returns the encoded rows of a query with a name. The error is an [*sqlq.Error]: a value that the format
	// cannot hold.
	Encode func(query string, result *sqlq.Result) ([]byte, error)
	// Begin starts the encoding of rows with columns that arrive in batches; nil for a format
	// that needs all rows at once.
	Begin func(w io.Writer, columns []sqlq.Column) (Writer, error)
}

// Writer encodes rows that arrive in batches. What it has written is incomplete until End.
type Writer interface {
	// Write encodes rows. They can wait in memory until more have arrived.
	Write(batch *sqlq.Batch) error
	// End ends the encoding. With truncated it marks the rows as cut off, if the format has a
	// place for that.
	End(truncated bool) error
}

// All returns every format. The first is the default of the command line.
func All() []Format {
	return []Format{
		{Name: "table", Encode: func(_ string, result *sqlq.Result) ([]byte, error) { return table(result), nil }},
		JSON(),
		streamed(Format{Name: "ndjson", MediaType: "application/x-ndjson", ErrorLine: true, Begin: beginNDJSON}),
		streamed(Format{Name: csvName, MediaType: "text/csv", Begin: beginCSV}),
		streamed(Format{Name: "parquet", MediaType: "application/vnd.apache.parquet", Binary: true, Compressed: true, Begin: beginParquet}),
		streamed(Format{Name: "arrow", MediaType: "application/vnd.apache.arrow.stream", Binary: true, Begin: beginArrow}),
		{Name: "prometheus", MediaType: "text/plain; version=0.0.4", Encode: encodePrometheus},
	}
}

// JSON returns the format that REST serves by default: the rows as {"result":[…]} (D12).
func JSON() Format {
	return Format{Name: "json", MediaType: "application/json", Encode: func(_ string, result *sqlq.Result) ([]byte, error) {
		return append(result.AppendJSON([]byte(`{"result":`)), '}'), nil
	}}
}

// streamed returns a format that encodes a whole result as it encodes batches.
func streamed(f Format) Format {
	f.Encode = func(_ string, result *sqlq.Result) ([]byte, error) {
		var encoded bytes.Buffer
		w, err := f.Begin(&encoded, result.Columns)
		if err == nil {
			err = w.Write(sqlq.BatchOf(result.Columns, result.Rows))
		}
		if err == nil {
			err = w.End(result.Truncated)
		}
		if err != nil {
			return nil, sqlq.AsError(err)
		}
		return encoded.Bytes(), nil
	}
	return f
}

// Find returns the format with a name, and reports whether there is one.
func Find(name string) (found Format, ok bool) {
	for _, format := range All() {
		if format.Name == name {
			return format, true
		}
	}
	return Format{}, false
}

// Served returns the names of the formats that have a media type, or only of those that encode
// batches, separated by commas.
func Served(batches bool) string {
	var names []string
	for _, format := range All() {
		if format.MediaType != "" && (!batches || format.Begin != nil) {
			names = append(names, format.Name)
		}
	}
	return strings.Join(names, ", ")
}

// ContentType returns the content type of a response in the format.
func (f *Format) ContentType() string {
	if f.Binary {
		return f.MediaType
	}
	return f.MediaType + "; charset=utf-8"
}
