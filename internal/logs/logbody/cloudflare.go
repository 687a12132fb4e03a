package logbody

import (
	"strings"

	"savedq/internal/logs/logevent"
	"savedq/internal/text/jsontext"
)

// addCloudflare adds a record of a dataset of Logpush. All of its fields become
// metadata.cloudflare. Those of the dataset http_requests also become what Cloudflare Workers
// send to edge_logs, so that saved queries on edge_logs find them.
func (c *collector) addCloudflare(raw []byte) error {
	object, err := logevent.Object(raw)
	switch {
	case err != nil:
		c.rejectError(c.options.Source.Name, raw, err)
	case isLogpushTest(object):
		c.tests++
	case isEmpty(object):
		return c.addRaw(raw) // which rejects it
	default:
		c.add(c.options.Source, logpushEvent(object), raw)
	}
	return nil
}

func isEmpty(object jsontext.Value) bool {
	for range object.Members() {
		return false
	}
	return true
}

// isLogpushTest reports whether an object is what Logpush uploads to test an address:
// {"content":"test"} or {"content":"tests"}.
func isLogpushTest(object jsontext.Value) bool {
	members := 0
	for range object.Members() {
		if members++; members > 1 {
			return false
		}
	}
	content := object.Get("content")
	return content.Is('"') && strings.TrimSuffix(content.Text(), "s") == "test"
}

// logpushEvent returns a record as savedq's event.
func logpushEvent(object jsontext.Value) []byte {
	record := make(map[string]jsontext.Value)
	for member := range object.Members() {
		if !member.Value.IsNull() {
			record[member.Name] = member.Value
		}
		if len(record) > logevent.MaxMembers { // the event is rejected
			break
		}
	}
	event := append(make([]byte, 0, 2*len(object)), '{')
	for _, name := range []string{"EdgeStartTimestamp", "EdgeEndTimestamp", "EventTimestampMs", "Datetime", "Timestamp", "When"} {
		if timestamp := record[name]; timestamp != nil {
			event = appendMember(event, "timestamp", timestamp)
			break
		}
	}
	metadata := []byte{'{'}
	// Only http_requests has these fields. A record of other datasets is not the only one with its RayID.
	isRequest := record["EdgeStartTimestamp"] != nil || record["EdgeEndTimestamp"] != nil
	if isRequest {
		event = appendFound(event, "id", record["RayID"])
	} else {
		event = appendFound(event, "id", record["ID"])
	}
	if isRequest && (record["ClientRequestMethod"] != nil || record["ClientRequestHost"] != nil) {
		request := newLogpushRequest(record)
		event = appendMember(event, "event_message", appendString(nil, request.message()))
		metadata = appendMember(metadata, "request", request.request())
		metadata = appendMember(metadata, "response", request.response())
	}
	metadata = append(appendMember(metadata, "cloudflare", object), '}')
	return append(appendMember(event, "metadata", metadata), '}')
}

// logpushRequest is a record of the dataset http_requests.
type logpushRequest struct {
	record            map[string]jsontext.Value
	url, path, search string
}

func newLogpushRequest(record map[string]jsontext.Value) logpushRequest {
	path, search, hasSearch := strings.Cut(record["ClientRequestURI"].Text(), "?")
	if hasSearch {
		search = "?" + search
	}
	if given := record["ClientRequestPath"].Text(); given != "" {
		path = given
	}
	scheme := record["ClientRequestScheme"].Text()
	if scheme == "" {
		scheme = "https"
	}
	return logpushRequest{
		record: record, path: path, search: search,
		url: scheme + "://" + record["ClientRequestHost"].Text() + path + search,
	}
}

// message returns the message that Cloudflare Workers send for a request.
func (r logpushRequest) message() string {
	return joined(r.record["ClientRequestMethod"].Text(), r.record["EdgeResponseStatus"].Text(), r.record["ClientIP"].Text(),
		r.record["RayID"].Text(), r.url, r.record["ClientRequestUserAgent"].Text())
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
func appendFound(output []byte, key string, value jsontext.Value) []byte {
	if value == nil {
		return output
	}
	return appendMember(output, key, value)
}
