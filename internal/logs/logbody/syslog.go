package logbody

import (
	"bytes"
	"context"

	"savedq/internal/jsontext"
)

// syslogFields are the fields of JSON from the templates of syslog-ng ($(format-json)) and rsyslog
// (StdJSONFmt and its documented variants). In metadata they are named as the parts of a line
// are.
func syslogFields() fields {
	return fields{
		own: []renaming{
			{"id", []string{"id"}},
			{"project", []string{"project"}},
			{"event_message", []string{"event_message", "message", "MESSAGE", "msg", "MSG"}},
			{"timestamp", []string{"timestamp", "ISODATE", "timereported", "@timestamp", "timegenerated"}},
		},
		renamed: []renaming{
			{"host", []string{"host", "HOST", "hostname", "HOSTNAME", "fromhost"}}, // the last one can be a relay
			{"program", []string{"program", "PROGRAM", "programname", "app-name", "appname"}},
			{"process_id", []string{"process_id", "PID", "procid"}},
			{"message_id", []string{"message_id", "MSGID", "msgid"}},
			{"facility", []string{"facility", "FACILITY", "syslogfacility-text"}},
			{"severity", []string{"severity", "PRIORITY", "priority", "syslogseverity-text"}},
			{"structured_data", []string{"structured_data", "_SDATA", "structured-data"}},
		},
	}
}

// readSyslog reads lines of syslog, or JSON.
func (c *collector) readSyslog(ctx context.Context, body []byte) error {
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	if start := bytes.TrimLeft(body, " \t\r\n"); bytes.HasPrefix(start, []byte{'{'}) || bytes.HasPrefix(start, []byte{'['}) {
		return c.readEvents(ctx, body, true, c.rewritten(syslogEvent))
	}
	for len(body) > 0 {
		var line []byte
		var counted bool
		line, body, counted = nextLine(body)
		if len(bytes.TrimLeft(line, " \t")) == 0 {
			continue
		}
		if c.position == MaxEvents {
			return ErrTooManyEvents
		}
		text := string(bytes.ToValidUTF8(line, []byte("\uFFFD")))
		message, err := parseSyslog(text, counted)
		if old, ok := parseOldSyslog(text, c.options.Now); err != nil && ok {
			message, err = old, nil
		}
		if err != nil {
			c.reject(c.options.Source.Name, line, err.Error())
		} else {
			c.add(c.options.Source, message.event(), line)
		}
		c.position++
	}
	return nil
}

// syslogEvent returns an event in JSON as savedq's. Its structured data can name its id and project.
func syslogEvent(object jsontext.Value) []byte {
	event := syslogFields().rewrite(object)
	own := structuredDataOf(object)
	event = appendTexts(event[:len(event)-1], [][2]string{{"id", own.id}, {"project", own.project}})
	return append(event, '}')
}

// structuredDataOf returns a message with the structured data of JSON: an object of syslog-ng, or text of
// rsyslog, as in a line of syslog.
func structuredDataOf(object jsontext.Value) syslogMessage {
	var found syslogMessage
	if text := object.Get("structured-data"); text.Is('"') {
		if rest, err := found.parseData(text.Text()); err != nil || rest != "" {
			return syslogMessage{}
		}
		return found
	}
	for element := range object.Get("_SDATA").Members() {
		for param := range element.Value.Members() {
			found.note(element.Name, param.Name, param.Value.Text())
		}
	}
	return found
}
