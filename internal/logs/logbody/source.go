package logbody

import (
	"bytes"

	"savedq/internal/logs/logevent"
)

// NamedSource returns the source that a body of the format JSON names, or an empty string. Clients of the
// original service name it beside log_entry and in {"batch":[…],"source":"…"}. In other objects, in those of
// a list and of NDJSON, source is a field like any other.
func NamedSource(body []byte) string {
	const key = "source"
	if !bytes.Contains(body, []byte(`"`+key+`"`)) {
		return ""
	}
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	reader := logevent.NewReader(bytes.TrimRight(body, " \t\r\n"))
	source, names := "", false
	for more := reader.Enter('{'); more; more = reader.More('}') {
		name, first := string(reader.Key()), reader.Next()
		raw := reader.Value()
		switch text, isText := logevent.Text(raw); {
		case name == "log_entry", name == "batch" && first == '[':
			names = true
		case name == key && isText:
			source = text
		case name == key && first != 'n':
			source = string(raw)
		}
	}
	if !names || reader.Next() != 0 { // another object follows
		return ""
	}
	return source
}
