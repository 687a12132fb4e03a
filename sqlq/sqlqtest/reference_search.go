package sqlqtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq"
)

// logSearchColumns are the columns of logs.search.
func logSearchColumns() []sqlq.Column {
	return []sqlq.Column{
		{Name: "id", Type: sqlq.String},
		{Name: "event_id", Type: sqlq.String},
		{Name: "timestamp", Type: sqlq.Timestamp},
		{Name: "source", Type: sqlq.String},
		{Name: "event_message", Type: sqlq.String, Nullable: true},
		{Name: "status", Type: sqlq.Int64, Nullable: true},
		{Name: "method", Type: sqlq.String, Nullable: true},
		{Name: "path", Type: sqlq.String, Nullable: true},
		{Name: "level", Type: sqlq.String, Nullable: true},
		{Name: "metadata", Type: sqlq.JSON, Nullable: true},
	}
}

// logHistogramColumns are the columns of logs.histogram.
func logHistogramColumns() []sqlq.Column {
	return []sqlq.Column{
		{Name: "timestamp", Type: sqlq.Timestamp},
		{Name: "count", Type: sqlq.Int64},
		{Name: "errors", Type: sqlq.Int64},
		{Name: "warnings", Type: sqlq.Int64},
	}
}

// logFacetColumns are the columns of logs.facets.
func logFacetColumns() []sqlq.Column {
	return []sqlq.Column{
		{Name: "facet", Type: sqlq.String},
		{Name: "value", Type: sqlq.String},
		{Name: "count", Type: sqlq.Int64},
	}
}

// senderNames returns the names that senders use for the sources, in the order of [Tables]
// (D22).
func senderNames() []string {
	return []string{
		"cloudflare.logs.prod", "postgres.logs", "deno-relay-logs", "deno-subhosting-events", "gotrue.logs.prod",
		"realtime.logs.prod", "storage.logs.prod.2", "postgREST.logs.prod", "pgbouncer.logs.prod",
	}
}

// searched is an event of a source with what logs.search reads from its metadata. Its texts
// are nil where there is no value.
type searched struct {
	Event

	// id is unique among all sources, unlike the id of the event.
	id, source                  string
	status, method, path, level *string
}

// newSearched reads the metadata of an event.
func newSearched(source string, event Event) (searched, error) {
	entry := searched{Event: event, id: source + ":" + event.ID, source: source}
	if event.Metadata == nil {
		return entry, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(event.Metadata))
	decoder.UseNumber()
	var metadata any
	if err := decoder.Decode(&metadata); err != nil {
		return searched{}, fmt.Errorf("event %s: %w", event.ID, err)
	}
	element := first(metadata)
	request, response := first(element["request"]), first(element["response"])
	entry.status = statusOf(firstScalar(response["status_code"], element["status"]))
	entry.method = firstScalar(request["method"], element["method"])
	entry.path = firstScalar(request["path"], request["pathname"], element["path"])
	entry.level = firstScalar(element["level"], first(element["parsed"])["error_severity"])
	return entry, nil
}

// first returns the first element of a list, if it is an object.
func first(list any) map[string]any {
	elements, _ := list.([]any)
	if len(elements) == 0 {
		return nil
	}
	object, _ := elements[0].(map[string]any)
	return object
}

// firstScalar returns the text of the first value that is a scalar, or nil.
func firstScalar(values ...any) *string {
	for _, value := range values {
		switch value := value.(type) {
		case string:
			return &value
		case json.Number:
			return new(value.String())
		case bool:
			return new(strconv.FormatBool(value))
		}
	}
	return nil
}

// statusOf returns the digits of a whole number from 100 to 999, or nil.
func statusOf(text *string) *string {
	if text == nil {
		return nil
	}
	digits, zeros, _ := strings.Cut(*text, ".")
	number, err := strconv.Atoi(digits)
	whole := strings.Trim(zeros, "0") == "" && !strings.HasSuffix(*text, ".") && strconv.Itoa(number) == digits
	if err != nil || !whole || number < 100 || number > 999 {
		return nil
	}
	return &digits
}

// searchFilter holds the arguments that logs.search, logs.histogram and logs.facets share.
type searchFilter struct {
	within                     timeRange
	cutOff                     time.Time
	project, source, text      string
	status, method, pathPrefix string
	filters                    []string
}

func newSearchFilter(args *arguments, now time.Time) searchFilter {
	return searchFilter{
		within: rangeOf(args), cutOff: now.Add(-retentionOf(args.text("project_tier"))), project: args.text("project"),
		source: args.text("source"), text: args.text("text"), status: args.text("status"), method: args.text("method"),
		pathPrefix: args.text("path_prefix"), filters: args.texts("filters"),
	}
}

// find returns the events of all sources that match.
func (f searchFilter) find(logs Logs) ([]searched, error) {
	message, err := regexp.Compile("(?i)" + regexp.QuoteMeta(f.text))
	if err != nil {
		return nil, err
	}
	var found []searched
	for i, table := range Tables() {
		if f.source != "" && f.source != table && f.source != senderNames()[i] {
			continue
		}
		for _, event := range logs[table] {
			if !f.within.holds(event) || !event.Timestamp.After(f.cutOff) {
				continue
			}
			projects, err := projectsOf(table, event)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(projects, f.project) {
				continue
			}
			if f.text != "" && (event.EventMessage == nil || !message.MatchString(*event.EventMessage)) {
				continue
			}
			entry, err := newSearched(table, event)
			if err != nil {
				return nil, err
			}
			if f.holdsRequest(entry) && f.holdsFilters(entry) {
				found = append(found, entry)
			}
		}
	}
	return found, nil
}

// holdsRequest reports whether the status, the method and the path match.
func (f searchFilter) holdsRequest(entry searched) bool {
	switch {
	case f.status != "" && (entry.status == nil || *entry.status != f.status && (*entry.status)[:1]+"xx" != f.status):
		return false
	case f.method != "" && (entry.method == nil || *entry.method != f.method):
		return false
	}
	return f.pathPrefix == "" || entry.path != nil && strings.HasPrefix(*entry.path, f.pathPrefix)
}

// holdsFilters reports whether one filter of each field holds, and no exclusion.
func (f searchFilter) holdsFilters(entry searched) bool {
	held := map[string]bool{}
	for _, filter := range f.filters {
		field, value, _ := strings.Cut(filter, ":")
		held[field] = held[field] || entry.holds(strings.TrimPrefix(field, "-"), value)
	}
	for field, holds := range held {
		if holds == strings.HasPrefix(field, "-") {
			return false
		}
	}
	return true
}

// holds reports whether a field of the event has a value. A path begins with it, and a message contains it.
func (s searched) holds(field, value string) bool {
	switch field {
	case "source":
		return s.source == value
	case "status":
		return s.status != nil && (*s.status == value || (*s.status)[:1]+"xx" == value)
	case "method":
		return s.method != nil && *s.method == value
	case "path":
		return s.path != nil && strings.HasPrefix(*s.path, value)
	case "level":
		return s.level != nil && strings.EqualFold(*s.level, value)
	case "id":
		return value == s.ID || value == s.id
	case "message":
		return s.EventMessage != nil && regexp.MustCompile("(?i)"+regexp.QuoteMeta(value)).MatchString(*s.EventMessage)
	default:
		var metadata any
		decoder := json.NewDecoder(bytes.NewReader(s.Metadata))
		decoder.UseNumber()
		return decoder.Decode(&metadata) == nil && hasMember(metadata, strings.TrimPrefix(field, "metadata."), value)
	}
}

// hasMember reports whether an object at any depth has a scalar member with a text, by any name if it is "*".
func hasMember(value any, name, text string) bool {
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, func(element any) bool { return hasMember(element, name, text) })
	case map[string]any:
		for key, member := range value {
			scalar := firstScalar(member)
			if (name == "*" || name == key) && scalar != nil && *scalar == text || hasMember(member, name, text) {
				return true
			}
		}
	}
	return false
}

// compareSearched orders entries as logs.search does.
func compareSearched(a, b searched) int {
	return cmp.Or(b.Timestamp.Compare(a.Timestamp), cmp.Compare(b.id, a.id))
}

// referenceLogsSearch computes logs.search.
func referenceLogsSearch(logs Logs, args *arguments, now time.Time) (*Expected, error) {
	filter := newSearchFilter(args, now)
	found, err := filter.find(logs)
	if err != nil {
		return nil, err
	}
	expected := &Expected{Result: sqlq.Result{Columns: logSearchColumns(), Rows: [][]any{}}}
	for _, entry := range pageOf(found, args) {
		row := []any{
			entry.id, entry.ID, entry.Timestamp.UTC(), entry.source,
			valueOf(entry.EventMessage), nil, valueOf(entry.method), valueOf(entry.path), valueOf(entry.level), nil,
		}
		if entry.status != nil {
			status, err := strconv.ParseInt(*entry.status, 10, 64)
			if err != nil {
				return nil, err
			}
			row[5] = status
		}
		if entry.Metadata != nil {
			row[9] = entry.Metadata
		}
		expected.Rows = append(expected.Rows, row)
	}
	return expected, nil
}

// pageOf returns the entries of the requested page, in order.
func pageOf(found []searched, args *arguments) []searched {
	before, paged := args.instant("before_timestamp")
	last := searched{Event: Event{Timestamp: before}}
	last.id = args.text("before_id")
	limit := args.number("limit")
	slices.SortFunc(found, compareSearched)
	if paged {
		found = slices.DeleteFunc(found, func(entry searched) bool { return compareSearched(entry, last) <= 0 })
	}
	return found[:min(limit, len(found))]
}

// valueOf returns the value of a STRING column.
func valueOf(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

// referenceLogsHistogram computes logs.histogram.
func referenceLogsHistogram(logs Logs, args *arguments, now time.Time) (*Expected, error) {
	filter := newSearchFilter(args, now)
	found, err := filter.find(logs)
	if err != nil {
		return nil, err
	}
	seconds := args.number("bucket_seconds")
	buckets := map[int64]*[3]int64{}
	for _, entry := range found {
		start := entry.Timestamp.Unix() / int64(seconds) * int64(seconds)
		if buckets[start] == nil {
			buckets[start] = &[3]int64{}
		}
		buckets[start][0]++
		if grade := entry.grade(); grade > 0 {
			buckets[start][grade]++
		}
	}
	expected := &Expected{Result: sqlq.Result{Columns: logHistogramColumns(), Rows: [][]any{}}}
	for _, start := range sortedKeys(buckets) {
		counts := buckets[start]
		expected.Rows = append(expected.Rows, []any{time.Unix(start, 0).UTC(), counts[0], counts[1], counts[2]})
	}
	return expected, nil
}

// grade returns 1 for an error, 2 for a warning and 0 for any other entry.
func (s searched) grade() int {
	status, level := "", ""
	if s.status != nil {
		status = *s.status
	}
	if s.level != nil {
		level = strings.ToLower(*s.level)
	}
	switch {
	case status >= "500", slices.Contains([]string{"error", "fatal", "panic", "critical"}, level):
		return 1
	case status >= "400", slices.Contains([]string{"warn", "warning"}, level):
		return 2
	}
	return 0
}

// facetValue is a value of a facet.
type facetValue struct{ facet, value string }

// referenceLogsFacets computes logs.facets.
func referenceLogsFacets(logs Logs, args *arguments, now time.Time) (*Expected, error) {
	filter := newSearchFilter(args, now)
	found, err := filter.find(logs)
	if err != nil {
		return nil, err
	}
	counts := map[facetValue]int64{}
	for _, entry := range found {
		counts[facetValue{"source", entry.source}]++
		if entry.status != nil {
			counts[facetValue{"status", *entry.status}]++
		}
		if entry.method != nil {
			counts[facetValue{"method", *entry.method}]++
		}
		if entry.level != nil {
			counts[facetValue{"level", strings.ToLower(*entry.level)}]++
		}
	}
	ordered := make([]facetValue, 0, len(counts))
	for value := range counts {
		ordered = append(ordered, value)
	}
	slices.SortFunc(ordered, func(a, b facetValue) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.facet, b.facet), cmp.Compare(a.value, b.value))
	})
	expected := &Expected{Result: sqlq.Result{Columns: logFacetColumns(), Rows: [][]any{}}}
	for _, value := range ordered {
		expected.Rows = append(expected.Rows, []any{value.facet, value.value, counts[value]})
	}
	return expected, nil
}
