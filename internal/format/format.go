// Package format encodes the rows of saved queries for callers. Each output format has a
// file of its own and a line in [All]. The command line, REST and the OpenAPI document take
// their formats from there.
package format

import "savedq/sqlq"

// Format is an output format.
type Format struct {
	// Name is the value of --format.
	Name string
	// MediaType selects the format in an Accept header. It is empty for a format that only
	// the command line prints.
	MediaType string
	// Encode returns the encoded rows.
	Encode func(result *sqlq.Result) []byte
}

// All returns every format. The first is the default of the command line.
func All() []Format {
	return []Format{
		{Name: "table", Encode: table},
		JSON(),
		{Name: "ndjson", MediaType: "application/x-ndjson", Encode: ndjson},
		{Name: "csv", MediaType: "text/csv", Encode: commaSeparated},
	}
}

// JSON returns the format that REST serves by default (D12).
func JSON() Format { return Format{Name: "json", MediaType: "application/json", Encode: envelope} }

// Find returns the format with a name, and reports whether there is one.
func Find(name string) (found Format, ok bool) {
	for _, format := range All() {
		if format.Name == name {
			return format, true
		}
	}
	return Format{}, false
}

// ContentType returns the content type of a response in the format.
func (f *Format) ContentType() string { return f.MediaType + "; charset=utf-8" }
