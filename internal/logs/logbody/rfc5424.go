package logbody

import (
	"errors"
	"strings"
)

// syslogMessage is a line of syslog as of RFC 5424. Empty texts are absent.
type syslogMessage struct {
	facility, severity                        string
	timestamp, host, program, process, nameID string
	// data is the structured data as members of a JSON object.
	data []byte
	// id and project come from the structured data savedq.
	id, project string
	text        string
}

// errNotSyslog is the error for a line of another form.
var errNotSyslog = errors.New("event: is not a line of RFC 5424, such as <34>1 2026-11-22T10:00:00Z host program 123 - - message; an absent part is -")

// parseSyslog parses a line. Structured data can be absent, as in the lines of Heroku's logplex.
func parseSyslog(line string, withoutData bool) (syslogMessage, error) {
	message, rest, ok := parsePriority(line)
	if !ok || !strings.HasPrefix(rest, "1 ") {
		return syslogMessage{}, errNotSyslog
	}
	rest = rest[len("1 "):]
	for _, part := range []*string{&message.timestamp, &message.host, &message.program, &message.process, &message.nameID} {
		value, after, _ := strings.Cut(rest, " ")
		if value == "" {
			return syslogMessage{}, errNotSyslog
		}
		if value != "-" {
			*part = value
		}
		rest = after
	}
	if message.timestamp != "" && !strings.Contains(message.timestamp, "T") {
		return syslogMessage{}, errNotSyslog
	}
	if withoutData && !strings.HasPrefix(rest, "[") && !strings.HasPrefix(rest, "- ") {
		message.text = rest
		return message, nil
	}
	var err error
	if rest, err = message.parseData(rest); err != nil {
		return syslogMessage{}, err
	}
	if rest != "" && rest[0] != ' ' {
		return syslogMessage{}, errNotSyslog
	}
	message.text = strings.TrimPrefix(strings.TrimPrefix(rest, " "), "\uFEFF")
	return message, nil
}

// parseData parses the structured data and returns what follows it.
func (m *syslogMessage) parseData(rest string) (string, error) {
	if strings.HasPrefix(rest, "-") {
		return rest[1:], nil
	}
	if !strings.HasPrefix(rest, "[") {
		return "", errNotSyslog
	}
	m.data = []byte{'{'}
	for strings.HasPrefix(rest, "[") {
		end := strings.IndexAny(rest, " ]")
		if end < 2 {
			return "", errNotSyslog
		}
		element := rest[1:end]
		m.data = append(appendKey(m.data, element), '{')
		rest = rest[end:]
		for strings.HasPrefix(rest, " ") {
			name, after, found := strings.Cut(rest[1:], `="`)
			value, after, closed := cutQuoted(after)
			if !found || !closed || name == "" || strings.ContainsAny(name, ` ]"=`) {
				return "", errNotSyslog
			}
			m.data = appendMember(m.data, name, appendString(nil, value))
			m.note(element, name, value)
			rest = after
		}
		if !strings.HasPrefix(rest, "]") {
			return "", errNotSyslog
		}
		m.data = append(m.data, '}')
		rest = rest[1:]
	}
	m.data = append(m.data, '}')
	return rest, nil
}

// cutQuoted returns the text up to the closing quote, without its escapes, and what follows
// the quote.
func cutQuoted(text string) (value, after string, closed bool) {
	var unescaped strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return unescaped.String(), text[i+1:], true
		case text[i] == '\\' && i+1 < len(text) && strings.IndexByte(`"\]`, text[i+1]) >= 0:
			i++
		}
		unescaped.WriteByte(text[i])
	}
	return "", "", false
}

// note keeps a parameter of structured data that is for savedq: id and project of the
// element savedq, or savedq@ and the number of an enterprise.
func (m *syslogMessage) note(element, name, value string) {
	if element, _, _ = strings.Cut(element, "@"); element != "savedq" {
		return
	}
	switch name {
	case "id":
		m.id = value
	case "project":
		m.project = value
	}
}

// event returns the line as savedq's event.
func (m *syslogMessage) event() []byte {
	metadata := appendTexts([]byte{'{'}, [][2]string{
		{"facility", m.facility},
		{"severity", m.severity},
		{"host", m.host},
		{"program", m.program},
		{"process_id", m.process},
		{"message_id", m.nameID},
	})
	if m.data != nil {
		metadata = appendMember(metadata, "structured_data", m.data)
	}
	event := appendTexts([]byte{'{'}, [][2]string{{"id", m.id}, {"project", m.project}, {"timestamp", m.timestamp}})
	event = appendMember(event, "event_message", appendString(nil, m.text))
	return append(appendMember(event, "metadata", append(metadata, '}')), '}')
}

// facilityName returns the usual name of a facility.
func facilityName(facility int) string {
	names := [...]string{
		"kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp",
		"ntp", "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7",
	}
	return names[facility]
}

// severityName returns the usual name of a severity.
func severityName(severity int) string {
	names := [...]string{"emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"}
	return names[severity]
}
