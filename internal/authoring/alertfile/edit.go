package alertfile

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"savedq/sqlq"
)

var (
	// ErrNoAlert means that the file has no alert of the name.
	ErrNoAlert = errors.New("query.yaml declares no alert of this name")
	// ErrForm means that the file is written in a form that is not changed.
	ErrForm = errors.New("alerts in query.yaml are written in a form that savedq does not change, such as alerts: {…}; change them by hand")
)

// Add returns a query.yaml with one more alert, behind the others.
func Add(data []byte, declared *Declaration) ([]byte, error) {
	f, err := parse(data)
	if err != nil {
		return nil, err
	}
	if f.alerts.empty() {
		return f.replace(span{len(f.lines), len(f.lines)}, slices.Concat([]string{"alerts:\n"}, declared.lines(step))), nil
	}
	indent := f.indent
	if indent == "" {
		indent = step
	}
	return f.replace(span{f.alerts.end, f.alerts.end}, declared.lines(indent)), nil
}

// Remove returns a query.yaml without an alert, and the comments that are just above it.
func Remove(data []byte, name string) ([]byte, error) {
	f, err := parse(data)
	if err != nil {
		return nil, err
	}
	at, found := f.entries[name]
	if !found {
		return nil, ErrNoAlert
	}
	if len(f.entries) == 1 {
		return f.replace(f.alerts, nil), nil
	}
	for at.start > f.alerts.start+1 && strings.HasPrefix(f.lines[at.start-1], f.indent+"#") {
		at.start--
	}
	return f.replace(at, nil), nil
}

// Change returns a query.yaml with other values of an alert. Only the lines of keys whose values differ change.
func Change(data []byte, before, after *sqlq.Alert, declared *Declaration) ([]byte, error) {
	f, err := parse(data)
	if err != nil {
		return nil, err
	}
	at, found := f.entries[before.Name]
	if !found {
		return nil, ErrNoAlert
	}
	head := f.lines[at.start]
	if _, value := splitKey(head); value != "" { // {every: 1m, …}
		lines := declared.lines(f.indent)
		lines[0] = strings.TrimSuffix(lines[0], "\n") + comment(head) + "\n"
		return f.replace(at, lines), nil
	}
	keys, indent := f.mapping(span{at.start + 1, at.end})
	if indent == "" {
		return nil, ErrForm
	}
	differs := differences(before, after)
	lines := []string{head}
	end := at.start + 1
	for _, key := range keys {
		lines = append(lines, f.lines[end:key.start]...)
		end = key.end
		name, _ := splitKey(f.lines[key.start])
		switch value := valueOf(declared, name); {
		case !differs[name]:
			lines = append(lines, f.lines[key.start:key.end]...)
		case value != "":
			suffix := ""
			if key.end == key.start+1 {
				suffix = comment(f.lines[key.start])
			}
			lines = append(lines, indent+name+": "+value+suffix+"\n")
		}
		delete(differs, name)
	}
	for _, key := range declared.keys() {
		if differs[key.name] && key.value != "" {
			lines = append(lines, indent+key.name+": "+key.value+"\n")
		}
	}
	return f.replace(at, append(lines, f.lines[end:at.end]...)), nil
}

// differences returns the keys whose values differ.
func differences(before, after *sqlq.Alert) map[string]bool {
	names := func(alert *sqlq.Alert) (names []string) {
		for _, named := range alert.Notify {
			names = append(names, named.Name)
		}
		return names
	}
	sameParams := len(before.Params) == len(after.Params)
	for name, values := range before.Params {
		sameParams = sameParams && slices.Equal(values, after.Params[name])
	}
	differs := map[string]bool{
		"title": before.Title != after.Title, "every": before.Every != after.Every, "params": !sameParams,
		"when": before.When.String() != after.When.String(), "for": before.For != after.For,
		"notify": !slices.Equal(names(before), names(after)), "rows": before.Rows != after.Rows,
	}
	return differs
}

func valueOf(declared *Declaration, name string) string {
	for _, key := range declared.keys() {
		if key.name == name {
			return key.value
		}
	}
	return ""
}

// span is a range of lines, without the last one.
type span struct{ start, end int }

func (s span) empty() bool { return s.start == s.end }

// file is a query.yaml in lines.
type file struct {
	lines []string
	// alerts is the key with all that belongs to it, and entries the alerts in it, whose names begin after indent.
	alerts  span
	entries map[string]span
	indent  string
}

func parse(data []byte) (*file, error) {
	f := &file{lines: slices.Collect(strings.Lines(string(data))), entries: make(map[string]span)}
	if last := len(f.lines) - 1; last >= 0 && !strings.HasSuffix(f.lines[last], "\n") {
		f.lines[last] += "\n"
	}
	top, _ := f.mapping(span{0, len(f.lines)})
	for _, at := range top {
		if name, value := splitKey(f.lines[at.start]); name == "alerts" {
			if value != "" {
				return nil, ErrForm
			}
			f.alerts = at
		}
	}
	if f.alerts.empty() {
		return f, nil
	}
	entries, indent := f.mapping(span{f.alerts.start + 1, f.alerts.end})
	if indent == "" {
		return nil, ErrForm
	}
	f.indent = indent
	for _, at := range entries {
		name, _ := splitKey(f.lines[at.start])
		f.entries[name] = at
	}
	return f, nil
}

func (f *file) replace(at span, lines []string) []byte {
	return []byte(strings.Join(slices.Concat(f.lines[:at.start], lines, f.lines[at.end:]), ""))
}

// mapping returns the keys of a mapping in block style, with the lines of their values, and what is before each key.
// Comments and empty lines between two keys belong to neither.
func (f *file) mapping(within span) (keys []span, indent string) {
	width := -1
	for i := within.start; i < within.end; i++ {
		line := f.lines[i]
		text := strings.TrimLeft(line, " ")
		if width < 0 && !isBlank(line) {
			width, indent = len(line)-len(text), line[:len(line)-len(text)]
		}
		if width < 0 || isBlank(line) || len(line)-len(text) != width || strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "---") {
			continue
		}
		if name, _ := splitKey(line); name != "" {
			keys = append(keys, span{i, i + 1})
		}
	}
	for i := range keys {
		end := within.end
		if i+1 < len(keys) {
			end = keys[i+1].start
		}
		for end > keys[i].start+1 && belongsToNone(f.lines[end-1], width) {
			end--
		}
		keys[i].end = end
	}
	return keys, indent
}

// isBlank reports whether a line has nothing but a comment.
func isBlank(line string) bool {
	text := strings.TrimSpace(line)
	return text == "" || strings.HasPrefix(text, "#")
}

// belongsToNone reports whether a line after a value is a comment about what follows, or is empty.
func belongsToNone(line string, width int) bool {
	return isBlank(line) && len(line)-len(strings.TrimLeft(line, " ")) <= width
}

// keyPattern is a key of a mapping, and its value on the same line.
const keyPattern = `^ *(?:"([^"]+)"|'([^']+)'|([^\s"'#:\[\]{},-][^\s"':]*)) *:(?:[ \t]+(.*))?$`

// splitKey returns the key of a line, and its value without a comment; both empty if the line begins none.
func splitKey(line string) (name, value string) {
	line = strings.TrimRight(line, "\r\n")
	parts := regexp.MustCompile(keyPattern).FindStringSubmatch(strings.TrimSuffix(line, comment(line)))
	if parts == nil {
		return "", ""
	}
	return parts[1] + parts[2] + parts[3], strings.TrimSpace(parts[4])
}

// comment returns the comment at the end of a line, with the space before it.
func comment(line string) string {
	line = strings.TrimRight(line, "\r\n")
	quote := byte(0)
	for i := range len(line) {
		switch c := line[i]; {
		case quote != 0:
			if c == quote && (quote != '"' || line[i-1] != '\\') {
				quote = 0
			}
		case c == '"' || c == '\'':
			if i == 0 || strings.ContainsRune(" [{,", rune(line[i-1])) {
				quote = c
			}
		case c == '#' && i > 0 && (line[i-1] == ' ' || line[i-1] == '\t'):
			start := len(strings.TrimRight(line[:i], " \t"))
			return line[start:]
		}
	}
	return ""
}
