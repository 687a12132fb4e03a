package logbody

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"time"

	"savedq/internal/text/jsontext"
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

// parsePriority parses the part in angle brackets that begins a line of syslog.
func parsePriority(line string) (message syslogMessage, rest string, ok bool) {
	number, rest, found := strings.Cut(strings.TrimPrefix(strings.TrimLeft(line, " \t"), "<"), ">")
	priority, err := strconv.Atoi(number)
	const maxPriority = 191
	if !found || err != nil || len(number) > 3 || priority < 0 || priority > maxPriority || number[0] == '+' {
		return syslogMessage{}, "", false
	}
	return syslogMessage{facility: facilityName(priority / 8), severity: severityName(priority % 8)}, rest, true
}

// parseOldSyslog parses a line of RFC 3164, such as <34>Oct 11 22:14:15 host su[7]: message, and of programs that vary
// it: without a host, with other times (see [cutOldTime]), and after the number of a line and an origin, as of Cisco.
func parseOldSyslog(line string, now time.Time) (syslogMessage, bool) {
	message, rest, ok := parsePriority(line)
	if !ok {
		return syslogMessage{}, false
	}
	if number, after, found := strings.Cut(rest, ": "); found && isNumber(number) {
		rest = after
	}
	at, after, ok := cutOldTime(rest, now)
	if origin, later, found := strings.Cut(rest, ": "); !ok && found && !strings.Contains(origin, " ") {
		message.host = origin
		at, after, ok = cutOldTime(later, now)
	}
	if !ok {
		return syslogMessage{}, false
	}
	message.timestamp = at.Format(time.RFC3339Nano)
	if rest, ok = strings.CutPrefix(after, ":"); !ok { // not as Cisco, whose host is in front of the time
		rest = strings.TrimPrefix(rest, " ")
		if first, later, _ := strings.Cut(rest, " "); !isTag(first) {
			message.host, rest = first, strings.TrimPrefix(later, ": ")
		}
	}
	message.text = strings.TrimPrefix(rest, " ")
	if tag, text, found := strings.Cut(message.text, ":"); found && tag != "" && !strings.ContainsAny(tag, " \t") {
		message.program, message.process, _ = strings.Cut(strings.TrimSuffix(tag, "]"), "[")
		message.text = strings.TrimPrefix(text, " ")
	}
	return message, true
}

// isTag reports whether a word is the program of a message and not a host, which has no colon behind it.
func isTag(word string) bool {
	return len(word) > 1 && strings.HasSuffix(word, ":") && net.ParseIP(word) == nil
}

// isNumber reports whether a text has digits only, or nothing.
func isNumber(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

// cutOldTime cuts the time from the start of a line: that of RFC 3164, also with a fraction of seconds, and with a year
// before or behind the day or behind the time, or one of RFC 3339. A time without a zone is in UTC; one without a year is in the
// latest year that has the date and is not ahead of now. In front there can be * or ., with which Cisco marks an inexact clock, and
// behind a zone, if a message of Cisco follows.
func cutOldTime(line string, now time.Time) (at time.Time, rest string, ok bool) {
	line = strings.TrimLeft(line, "*.")
	first, rest := cutWord(line)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, first); err == nil {
			return at, rest, true
		}
	}
	year, month := "", first
	if isYear(first) {
		year = first
		month, rest = cutWord(rest)
	}
	day, rest := cutWord(rest)
	clock, rest := cutWord(rest)
	if year == "" && isYear(clock) {
		year = clock
		clock, rest = cutWord(rest)
	}
	if next, later := cutWord(rest); year == "" && isYear(next) {
		year, rest = next, later
	}
	clock, endsInColon := strings.CutSuffix(clock, ":")
	if zone, message, found := strings.Cut(strings.TrimPrefix(rest, " "), ": %"); found && isZone(zone) {
		rest, endsInColon = " %"+message, true
	}
	if endsInColon {
		rest = ":" + rest
	}
	const layout = "Jan 2 15:04:05"
	date := month + " " + day + " " + clock
	if year != "" {
		at, err := time.Parse("2006 "+layout, year+" "+date)
		return at, rest, err == nil
	}
	sent, err := time.Parse(layout, date)
	if err != nil {
		return time.Time{}, "", false
	}
	return latestYear(sent, now), rest, true
}

// cutWord cuts the first word of a line.
func cutWord(line string) (word, rest string) {
	line = strings.TrimLeft(line, " ")
	if end := strings.IndexByte(line, ' '); end >= 0 {
		return line[:end], line[end:]
	}
	return line, ""
}

// isYear reports whether a word is a year.
func isYear(word string) bool { return len(word) == len("2006") && isNumber(word) }

// isZone reports whether a text is the abbreviation of a time zone.
func isZone(text string) bool {
	const longest = 5
	return text != "" && len(text) <= longest && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// latestYear returns a time of the year 0 in the latest year that has its date, and in which it is not ahead of now.
func latestYear(sent, now time.Time) time.Time {
	const ahead = 24 * time.Hour // clocks and time zones of senders
	latest := now.UTC().Add(ahead)
	at := sent.AddDate(latest.Year(), 0, 0)
	for year := latest.Year() - 1; at.After(latest) || at.Day() != sent.Day(); year-- { // not every year has February 29
		at = sent.AddDate(year, 0, 0)
	}
	return at
}

// nextLine returns the first line of a body of syslog and what follows it. A line with its length
// in front can have line breaks (RFC 6587, section 3.4.1); counted reports whether it has one.
func nextLine(body []byte) (line, rest []byte, counted bool) {
	digits := 0
	for digits < len(body) && digits < 8 && body[digits] >= '0' && body[digits] <= '9' {
		digits++
	}
	if digits > 0 && bytes.HasPrefix(body[digits:], []byte(" <")) {
		length, _ := strconv.Atoi(string(body[:digits])) // has only digits
		if end := digits + 1 + length; end <= len(body) {
			return bytes.TrimRight(body[digits+1:end], "\r\n"), body[end:], true
		}
	}
	line, rest, _ = bytes.Cut(body, []byte("\n"))
	return bytes.TrimRight(line, "\r"), rest, false
}
