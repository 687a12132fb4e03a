package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// victoriaLogs is how to start and query VictoriaLogs, with its defaults but for the retention,
// which would reject the oldest events. Source and project are stream fields, as its
// documentation recommends for fields that identify where a log comes from.
type victoriaLogs struct{ path string }

func (v victoriaLogs) name() string { return "VictoriaLogs" }

func (v victoriaLogs) version(context.Context) (string, error) {
	info, err := buildinfo.ReadFile(v.path)
	if err != nil {
		return "", err
	}
	return "VictoriaLogs " + strings.TrimPrefix(info.Main.Version, "v"), nil
}

func (v victoriaLogs) command(address, data string) (arguments, environment []string) {
	return []string{v.path, "-httpListenAddr=" + address, "-storageDataPath=" + data, "-retentionPeriod=90d", "-loggerLevel=WARN"}, nil
}

func (v victoriaLogs) readyPath() string { return "/health" }

func (v victoriaLogs) authorize(*http.Request) {}

func (v victoriaLogs) insertPath(string) string {
	return "/insert/jsonline?_stream_fields=source,project&_time_field=timestamp&_msg_field=event_message"
}

func (v victoriaLogs) query(q question) string {
	const nanoseconds = "2006-01-02T15:04:05.000000000Z"
	text := fmt.Sprintf(`{project=%q} _time:(%s, %s]`, q.project, q.from.UTC().Format(nanoseconds), q.to.UTC().Format(nanoseconds))
	if q.word != "" {
		text += " " + fmt.Sprintf(map[match]string{
			wordInAnyCase:      `_msg:i(%q)`,
			exactWord:          `_msg:%q`,
			substringInAnyCase: `_msg:~"(?i)%s"`,
		}[q.match], q.word)
	}
	values := url.Values{}
	switch q.kind {
	case search:
		values.Set("limit", strconv.Itoa(limit)) // the newest
	case histogram:
		text += " | stats by (_time:1h) count() entries"
	case facets:
		text += " | fields " + strings.Join(facetFields(), ", ") + " | facets 1000 keep_const_fields"
	}
	values.Set("query", text)
	return "/select/logsql/query?" + values.Encode()
}

func (v victoriaLogs) fresh(http.Header) error { return nil } // it caches no responses of queries

// facetFields are the fields in which the sources have their source, status, method and level.
func facetFields() []string {
	return []string{
		"source", "metadata.response.status_code", "metadata.status", "metadata.request.method", "metadata.method",
		"metadata.level", "metadata.parsed.error_severity",
	}
}

// facetOf returns the facet of a field.
func facetOf(field string) string {
	switch field {
	case "metadata.response.status_code", "metadata.status":
		return "status"
	case "metadata.request.method", "metadata.method":
		return "method"
	case "metadata.level", "metadata.parsed.error_severity":
		return "level"
	default:
		return field
	}
}

func (v victoriaLogs) answer(q question, body []byte) (answer, error) {
	found, rows := make(answer), json.NewDecoder(bytes.NewReader(body))
	for {
		var row struct {
			ID      string `json:"id"`
			Time    string `json:"_time"`
			Entries string `json:"entries"`
			Field   string `json:"field_name"`
			Value   string `json:"field_value"`
			Hits    string `json:"hits"`
		}
		if err := rows.Decode(&row); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		key, number := row.ID, "1"
		switch q.kind {
		case search:
		case histogram:
			hour, err := time.Parse(time.RFC3339Nano, row.Time)
			if err != nil {
				return nil, err
			}
			key, number = hour.UTC().Format(time.RFC3339), row.Entries
		case facets:
			facet := facetOf(row.Field)
			if facet == "level" {
				row.Value = strings.ToLower(row.Value)
			}
			key, number = facet+"="+row.Value, row.Hits
		}
		count, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q of %q: %w", number, key, err)
		}
		found[key] += count
	}
}
