package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// savedq is how to start and query savedq, with its defaults.
type savedq struct{ path, token string }

func (s savedq) name() string { return "savedq" }

func (s savedq) version(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, s.path, "version").Output() //nolint:gosec // The path is a flag.
	if err != nil {
		return "", fmt.Errorf("%s version: %w", s.path, err)
	}
	fields := strings.Fields(string(output)) // such as: savedq 0.1.0 commit 0123456
	if len(fields) < 4 {
		return "", fmt.Errorf("%s version printed %q", s.path, output)
	}
	return fmt.Sprintf("savedq %s (commit %s)", fields[1], fields[3]), nil
}

func (s savedq) command(address, data string) (arguments, environment []string) {
	return []string{s.path, "serve", "--addr", address, "--data", data, "--log-level", "warn"}, []string{"SAVEDQ_TOKEN=" + s.token}
}

func (s savedq) readyPath() string { return "/readyz" }

func (s savedq) authorize(request *http.Request) { request.Header.Set("X-API-KEY", s.token) }

func (s savedq) insertPath(source string) string { return "/api/logs?source=" + source }

func (s savedq) query(q question) string {
	values := url.Values{
		"project":             {q.project},
		"project_tier":        {"ENTERPRISE"}, // 90 days
		"iso_timestamp_start": {q.from.UTC().Format(timeLayout)},
		"iso_timestamp_end":   {q.to.UTC().Format(timeLayout)},
	}
	if q.word != "" {
		values.Set("text", q.word)
	}
	name := map[kind]string{search: "logs.search", histogram: "logs.histogram", facets: "logs.facets"}[q.kind]
	switch q.kind {
	case search:
		values.Set("limit", strconv.Itoa(limit))
	case histogram:
		values.Set("bucket_seconds", "3600")
	case facets:
	}
	return "/api/endpoints/" + name + "?" + values.Encode()
}

// fresh returns an error if a response does not come from a run of the query.
func (s savedq) fresh(header http.Header) error {
	switch cache := header.Get("X-Cache"); cache {
	case "OFF", "MISS", "BYPASS":
		return nil
	default:
		return fmt.Errorf("the response comes from a cache: X-Cache is %q", cache)
	}
}

func (s savedq) answer(q question, body []byte) (answer, error) {
	var response struct {
		Result []struct {
			EventID   string `json:"event_id"`
			Timestamp int64  `json:"timestamp"`
			Facet     string `json:"facet"`
			Value     string `json:"value"`
			Count     int64  `json:"count"`
		} `json:"result"`
	}
	if err := json.Unmarshal(body, &response); err != nil {
		return nil, err
	}
	found := make(answer)
	for _, row := range response.Result {
		switch q.kind {
		case search:
			found[row.EventID]++
		case histogram:
			if row.Count > 0 {
				found[time.UnixMicro(row.Timestamp).UTC().Format(time.RFC3339)] += row.Count
			}
		case facets:
			found[row.Facet+"="+row.Value] += row.Count
		}
	}
	return found, nil
}
