package alert

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// body returns the body of a message in the form of a target. now is when it is sent.
func (t *Target) body(message *Message, now time.Time) ([]byte, error) {
	switch t.Form {
	case FormSlack:
		return json.Marshal(slackOf(message))
	case FormAlertmanager:
		return json.Marshal([]alertmanagerAlert{alertmanagerOf(message, now)})
	case FormSavedq:
	}
	return json.Marshal(message)
}

// signature returns the value of the header that signs a body: the time at which it is sent, and the
// HMAC-SHA256 of that time, a dot and the body.
func signature(secret string, body []byte, now time.Time) string {
	at := strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%s.%s", at, body) // a hash never returns an error
	return "t=" + at + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// headline returns what a message says in one line.
func (m *Message) headline() string {
	what := map[State]string{Firing: "fires", NoData: "has no data", Failing: "fails"}[m.State]
	if m.Event == End {
		what = "no longer " + what
		if m.Now == Removed {
			what = "was removed"
		}
	}
	return m.Title + " " + what
}

// details returns the lines below the headline.
func (m *Message) details() string {
	lines := []string{"Query: " + m.Query, "Condition: " + m.Condition}
	if params := paramsText(m.Params); params != "" {
		lines = append(lines, "Parameters: "+params)
	}
	if m.Error != "" {
		lines = append(lines, "Error: "+m.Error)
	}
	if m.Ended != nil {
		lines = append(lines, "Lasted: "+m.Ended.Sub(m.Began).Round(time.Second).String())
	}
	return strings.Join(lines, "\n")
}

// rowLines returns the rows, one JSON object a line.
func (m *Message) rowLines() string {
	var rows []json.RawMessage
	if json.Unmarshal(m.Rows.Rows, &rows) != nil || len(rows) == 0 {
		return ""
	}
	var lines strings.Builder
	for _, row := range rows {
		lines.Write(row)
		lines.WriteByte('\n')
	}
	if m.Truncated {
		lines.WriteString("… more rows were cut off\n")
	}
	return lines.String()
}

// paramsText returns parameters in one line, by name.
func paramsText(params map[string][]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		parts = append(parts, name+"="+strings.Join(params[name], ","))
	}
	return strings.Join(parts, " ")
}
