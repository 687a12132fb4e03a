package logbody

import (
	"bytes"

	"savedq/internal/jsontext"
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
	reader := jsontext.NewScanner(bytes.TrimRight(body, " \t\r\n"))
	source, names := "", false
	for more := reader.Enter('{'); more; more, _ = reader.More('}') {
		name, _, isKey := reader.Key()
		value, isValue := reader.Value(0)
		if !isKey || !isValue {
			reader.Position = len(reader.Text)
		}
		switch {
		case string(name) == "log_entry", string(name) == "batch" && value.Is('['):
			names = true
		case string(name) == key && isValue && value.Is('"'):
			source = jsontext.Unquote(value)
		case string(name) == key && !value.Is('n'):
			source = string(value)
		}
	}
	if !names || reader.Peek() != 0 { // another object follows
		return ""
	}
	return source
}
