package sqlqtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

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
	metadata, err := decodeJSON(event.Metadata)
	if err != nil {
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
	within          timeRange
	cutOff          time.Time
	project, source string
	// fields are the values of single fields; an empty one matches all.
	fields  map[string]string
	filters []string
}

// findEntries returns the events of all sources that match.
func findEntries(logs Logs, args *arguments, now time.Time) ([]searched, error) {
	f := searchFilter{
		within: rangeOf(args), cutOff: now.Add(-retentionOf(args.text("project_tier"))),
		project: args.text("project"), source: args.text("source"),
		fields: map[string]string{
			"message": args.text("text"), "status": args.text("status"), "method": args.text("method"), "path": args.text("path_prefix"),
		},
		filters: args.texts("filters"),
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
			entry, err := newSearched(table, event)
			if err != nil {
				return nil, err
			}
			if f.holdsFields(entry) && f.holdsFilters(entry) {
				found = append(found, entry)
			}
		}
	}
	return found, nil
}

// holdsFields reports whether the single fields match.
func (f searchFilter) holdsFields(entry searched) bool {
	for field, value := range f.fields {
		if value != "" && !entry.holds(field, value) {
			return false
		}
	}
	return true
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
		metadata, err := decodeJSON(s.Metadata)
		return err == nil && hasMember(metadata, strings.TrimPrefix(field, "metadata."), value)
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

// logsSearchRows computes logs.search.
func logsSearchRows(expected *Expected, logs Logs, args *arguments, now time.Time) error {
	found, err := findEntries(logs, args, now)
	if err != nil {
		return err
	}
	for _, entry := range pageOf(found, args) {
		row := []any{
			entry.id, entry.ID, entry.Timestamp.UTC(), entry.source,
			valueOf(entry.EventMessage), nil, valueOf(entry.method), valueOf(entry.path), valueOf(entry.level), metadataOf(entry.Event),
		}
		if entry.status != nil {
			if row[5], err = strconv.ParseInt(*entry.status, 10, 64); err != nil {
				return err
			}
		}
		expected.Rows = append(expected.Rows, row)
	}
	return nil
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

// logsHistogramRows computes logs.histogram.
func logsHistogramRows(expected *Expected, logs Logs, args *arguments, now time.Time) error {
	found, err := findEntries(logs, args, now)
	if err != nil {
		return err
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
	for _, start := range slices.Sorted(maps.Keys(buckets)) {
		counts := buckets[start]
		expected.Rows = append(expected.Rows, []any{time.Unix(start, 0).UTC(), counts[0], counts[1], counts[2]})
	}
	return nil
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

// logsFacetsRows computes logs.facets.
func logsFacetsRows(expected *Expected, logs Logs, args *arguments, now time.Time) error {
	found, err := findEntries(logs, args, now)
	if err != nil {
		return err
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
	for _, value := range slices.SortedFunc(maps.Keys(counts), func(a, b facetValue) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.facet, b.facet), cmp.Compare(a.value, b.value))
	}) {
		expected.Rows = append(expected.Rows, []any{value.facet, value.value, counts[value]})
	}
	return nil
}
