package logbody

import (
	"bytes"
	"context"

	"github.com/tidwall/gjson"

	"savedq/internal/logs/logevent"
)

// syslogFields are those of JSON from the templates of syslog-ng ($(format-json)) and rsyslog
// (StdJSONFmt and its documented variants). In metadata they are named as the parts of a line
// are.
func syslogFields() fields {
	return fields{
		id:        []string{"id"},
		timestamp: []string{"timestamp", "ISODATE", "timereported", "@timestamp", "timegenerated"},
		message:   []string{"event_message", "message", "MESSAGE", "msg", "MSG"},
		project:   []string{"project"},
		renamed: map[string]string{
			"HOST": "host", "hostname": "host", "HOSTNAME": "host", "fromhost": "host",
			"PROGRAM": "program", "programname": "program", "app-name": "program", "appname": "program",
			"PID": "process_id", "procid": "process_id",
			"MSGID": "message_id", "msgid": "message_id",
			"FACILITY": "facility", "syslogfacility-text": "facility",
			"PRIORITY": "severity", "priority": "severity", "syslogseverity-text": "severity",
			"_SDATA": "structured_data", "structured-data": "structured_data",
		},
	}
}

// readSyslog reads lines of syslog, or JSON.
func (c *collector) readSyslog(ctx context.Context, body []byte) error {
	if start := bytes.TrimLeft(body, " \t\r\n"); bytes.HasPrefix(start, []byte{'{'}) || bytes.HasPrefix(start, []byte{'['}) {
		return c.readJSON(ctx, body, c.addSyslogJSON)
	}
	for line := range bytes.Lines(body) {
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimLeft(line, " \t")) == 0 {
			continue
		}
		if c.position == MaxEvents {
			return ErrTooManyEvents
		}
		if message, err := parseSyslog(string(bytes.ToValidUTF8(line, []byte("\uFFFD")))); err != nil {
			c.reject(c.options.Source.Table, line, err.Error())
		} else {
			c.add(c.options.Source, message.event(), line)
		}
		c.position++
	}
	return nil
}

// addSyslogJSON adds an event in JSON. Its structured data can name its id and project.
func (c *collector) addSyslogJSON(raw []byte) {
	object, err := logevent.Object(raw)
	if err != nil {
		c.rejectError(c.options.Source, raw, err)
		return
	}
	event := syslogFields().rewrite(object)
	own := syslogMessage{}
	object.Get("_SDATA").ForEach(func(id, params gjson.Result) bool {
		params.ForEach(func(name, value gjson.Result) bool {
			own.note(id.String(), name.String(), value.String())
			return true
		})
		return true
	})
	event = own.appendOwn(event[:len(event)-1])
	c.add(c.options.Source, append(event, '}'), raw)
}
