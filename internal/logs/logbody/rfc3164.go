package logbody

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

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

// parseOldSyslog parses a line of RFC 3164, such as <34>Oct 11 22:14:15 host su[7]: message. Its
// time is in UTC and has no year: it is in the latest one that has the date and is not ahead of now.
func parseOldSyslog(line string, now time.Time) (syslogMessage, bool) {
	message, rest, ok := parsePriority(line)
	if !ok || len(rest) < len(time.Stamp)+1 || rest[len(time.Stamp)] != ' ' {
		return syslogMessage{}, false
	}
	sent, err := time.Parse(time.Stamp, rest[:len(time.Stamp)])
	if err != nil {
		return syslogMessage{}, false
	}
	const ahead = 24 * time.Hour // clocks and time zones of senders
	latest := now.UTC().Add(ahead)
	at := sent.AddDate(latest.Year(), 0, 0)
	for year := latest.Year() - 1; at.After(latest) || at.Day() != sent.Day(); year-- { // not every year has February 29
		at = sent.AddDate(year, 0, 0)
	}
	message.timestamp = at.Format(time.RFC3339)
	message.host, rest, _ = strings.Cut(rest[len(time.Stamp)+1:], " ")
	message.text = rest
	if tag, text, found := strings.Cut(rest, ":"); found && tag != "" && !strings.ContainsAny(tag, " \t") {
		message.program, message.process, _ = strings.Cut(strings.TrimSuffix(tag, "]"), "[")
		message.text = strings.TrimPrefix(text, " ")
	}
	return message, true
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
