package logbody

import (
	"strings"

	"github.com/tidwall/gjson"

	"savedq/internal/logs/logevent"
)

// addCloudflare adds a record of a dataset of Logpush. All of its fields become
// metadata.cloudflare. Those of the dataset http_requests also become what Cloudflare Workers
// send to edge_logs, so that saved queries on edge_logs find them.
func (c *collector) addCloudflare(raw []byte) {
	object, err := logevent.Object(raw)
	switch {
	case err != nil:
		c.rejectError(c.options.Source, raw, err)
	case isLogpushTest(object):
		c.tests++
	case isEmpty(object):
		c.addRaw(raw) // which rejects it
	default:
		c.add(c.options.Source, logpushEvent(object), raw)
	}
}

func isEmpty(object gjson.Result) bool {
	empty := true
	object.ForEach(func(_, _ gjson.Result) bool {
		empty = false
		return false
	})
	return empty
}

// isLogpushTest reports whether an object is what Logpush uploads to test an address:
// {"content":"test"} or {"content":"tests"}.
func isLogpushTest(object gjson.Result) bool {
	members := 0
	object.ForEach(func(_, _ gjson.Result) bool {
		members++
		return members < 2
	})
	content := object.Get("content")
	return members == 1 && content.Type == gjson.String && strings.TrimSuffix(content.Str, "s") == "test"
}

// logpushEvent returns a record as savedq's event.
func logpushEvent(object gjson.Result) []byte {
	record := make(map[string]gjson.Result)
	object.ForEach(func(key, value gjson.Result) bool {
		if value.Type != gjson.Null {
			record[key.String()] = value
		}
		return len(record) <= logevent.MaxMembers // beyond it, the event is rejected
	})
	event := append(make([]byte, 0, 2*len(object.Raw)), '{')
	for _, name := range []string{"EdgeStartTimestamp", "EdgeEndTimestamp", "EventTimestampMs", "Datetime", "Timestamp", "When"} {
		if timestamp := record[name]; timestamp.Exists() {
			event = appendMember(event, "timestamp", []byte(timestamp.Raw))
			break
		}
	}
	metadata := []byte{'{'}
	// Only http_requests has these fields. A record of other datasets is not the only one with its RayID.
	isRequest := record["EdgeStartTimestamp"].Exists() || record["EdgeEndTimestamp"].Exists()
	if isRequest {
		event = appendFound(event, "id", record["RayID"])
	} else {
		event = appendFound(event, "id", record["ID"])
	}
	if isRequest && (record["ClientRequestMethod"].Exists() || record["ClientRequestHost"].Exists()) {
		request := newLogpushRequest(record)
		event = appendMember(event, "event_message", appendString(nil, request.message()))
		metadata = appendMember(metadata, "request", request.request())
		metadata = appendMember(metadata, "response", request.response())
	}
	metadata = append(appendMember(metadata, "cloudflare", []byte(object.Raw)), '}')
	return append(appendMember(event, "metadata", metadata), '}')
}

// logpushRequest is a record of the dataset http_requests.
type logpushRequest struct {
	record            map[string]gjson.Result
	url, path, search string
}

func newLogpushRequest(record map[string]gjson.Result) logpushRequest {
	path, search, hasSearch := strings.Cut(record["ClientRequestURI"].String(), "?")
	if hasSearch {
		search = "?" + search
	}
	if given := record["ClientRequestPath"].String(); given != "" {
		path = given
	}
	scheme := record["ClientRequestScheme"].String()
	if scheme == "" {
		scheme = "https"
	}
	return logpushRequest{
		record: record, path: path, search: search,
		url: scheme + "://" + record["ClientRequestHost"].String() + path + search,
	}
}

// message returns the message that Cloudflare Workers send for a request.
func (r logpushRequest) message() string {
	return joined(r.record["ClientRequestMethod"], r.record["EdgeResponseStatus"], r.record["ClientIP"], r.record["RayID"],
		gjson.Result{Type: gjson.String, Str: r.url}, r.record["ClientRequestUserAgent"])
}

func (r logpushRequest) request() []byte {
	scheme, _, _ := strings.Cut(r.url, "//")
	request := []byte{'{'}
	request = appendFound(request, "method", r.record["ClientRequestMethod"])
	request = appendMember(request, "url", appendString(nil, r.url))
	request = appendFound(request, "host", r.record["ClientRequestHost"])
	request = appendMember(request, "path", appendString(nil, r.path))
	request = appendMember(request, "search", appendString(nil, r.search))
	request = appendMember(request, "protocol", appendString(nil, scheme))
	request = appendMember(request, "headers", r.object([][2]string{
		{"host", "ClientRequestHost"},
		{"user_agent", "ClientRequestUserAgent"},
		{"referer", "ClientRequestReferer"},
		{"cf_connecting_ip", "ClientIP"},
		{"cf_ray", "RayID"},
	}))
	request = appendMember(request, "cf", r.object([][2]string{
		{"country", "ClientCountry"},
		{"asn", "ClientASN"},
		{"colo", "EdgeColoCode"},
		{"httpProtocol", "ClientRequestProtocol"},
		{"tlsVersion", "ClientSSLProtocol"},
		{"tlsCipher", "ClientSSLCipher"},
	}))
	return append(request, '}')
}

func (r logpushRequest) response() []byte {
	response := []byte{'{'}
	response = appendFound(response, "status_code", r.record["EdgeResponseStatus"])
	response = appendFound(response, "origin_time", r.record["OriginResponseDurationMs"])
	response = appendMember(response, "headers", r.object([][2]string{
		{"content_type", "EdgeResponseContentType"}, {"cf_cache_status", "CacheCacheStatus"},
	}))
	return append(response, '}')
}

// object returns an object with the fields of the record, which are pairs of the key and the
// field's name.
func (r logpushRequest) object(pairs [][2]string) []byte {
	object := []byte{'{'}
	for _, pair := range pairs {
		object = appendFound(object, pair[0], r.record[pair[1]])
	}
	return append(object, '}')
}

// appendFound appends a member if there is a value for it.
func appendFound(output []byte, key string, value gjson.Result) []byte {
	if !value.Exists() {
		return output
	}
	return appendMember(output, key, []byte(value.Raw))
}
