package openapi

import (
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"savedq/internal/logs/logbody"
	"savedq/sqlq"
)

// Names of components of the paths that receive log events.
const (
	ingestTag      = "Log events"
	eventSchema    = "LogEvent"
	loggedSchema   = "Logged"
	rejectedSchema = "RejectedEvent"
	refusedSchema  = "Refused"
	loggedResponse = "Logged"
	refusedEvents  = "RefusedEvents"
	invalidEvents  = "InvalidEvents"
	largeEvents    = "EventsTooLarge"
	sourceParam    = "source"
	projectParam   = "project"
	strictParam    = "strict"
	sourceHeader   = "X-Source"
	otlpResponse   = "OTLP"
)

// ingestPath is a path that receives log events.
type ingestPath struct {
	path, id, summary, description string
	content                        map[string]mediaType
}

// ingestPaths returns the paths that receive log events. The compatible forms with /json at
// the end are left out.
func ingestPaths() []ingestPath {
	event := component(eventSchema)
	batch := object(required("batch", list(event, "Events.")), optional("source", text("Log source of the events.")))
	events := map[string]mediaType{
		mediaJSON:              {Schema: schema{AnyOf: []schema{event, list(event, "Events."), batch}}},
		"application/x-ndjson": {Schema: text("An event in each line.")},
	}
	shipped := map[string]mediaType{
		mediaJSON:              {Schema: schema{Type: []string{"object", "array"}, Items: &schema{Type: "object"}}},
		"application/x-ndjson": {Schema: text("An object in each line.")},
	}
	syslog := maps.Clone(shipped)
	syslog["text/plain"] = mediaType{Schema: text("Lines of RFC 5424.")}
	const same = " The same as /api/logs, for senders of the original service."
	also := func(shipper string) string {
		return " Also at /api/logs/" + shipper + " and /api/events/" + shipper + "."
	}
	return []ingestPath{
		{"/api/logs", "logs", "Send log events", "The response comes after the events are durable. Invalid events do not block valid ones.", events},
		{"/api/events", "logs.events", "Send log events", same[1:], events},
		{"/logs", "logs.short", "Send log events", same[1:], events},
		{"/logs/cloudflare", "logs.cloudflare", "Receive Cloudflare Logpush", "Records of a dataset." + also("cloudflare"), shipped},
		{"/logs/vector", "logs.vector", "Receive Vector's sink http", "Log events of Vector." + also("vector"), shipped},
		{"/logs/vercel", "logs.vercel", "Receive Vercel log drains", "Entries of a log drain." + also("vercel"), shipped},
		{"/logs/syslog", "logs.syslog", "Receive syslog-ng and rsyslog", "Lines of RFC 5424, or JSON of their templates." + also("syslog"), syslog},
	}
}

// addIngest adds the paths that receive log events.
func (d *document) addIngest(sources sqlq.Tables) {
	d.Tags = append(d.Tags, tag{Name: ingestTag, Description: "Paths that receive log events for the embedded store. Bodies can be compressed with gzip, zstd, deflate or snappy."})
	maps.Copy(d.Components.Parameters, ingestParams(sources))
	maps.Copy(d.Components.Schemas, ingestSchemas())
	maps.Copy(d.Components.Responses, ingestResponses())
	responses := responsesWith(loggedResponse, isOneOf("Unauthenticated", "PermissionDenied", "UnsupportedMediaType", "ResourceExhausted", "Internal", "Unavailable"))
	responses[strconv.Itoa(http.StatusBadRequest)] = refer("responses", invalidEvents)
	responses[strconv.Itoa(http.StatusRequestEntityTooLarge)] = refer("responses", largeEvents)
	responses[strconv.Itoa(http.StatusUnprocessableEntity)] = refer("responses", refusedEvents)
	params := []reference{
		refer("parameters", sourceParam), refer("parameters", sourceHeader), refer("parameters", projectParam), refer("parameters", strictParam),
	}
	for _, path := range ingestPaths() {
		d.Paths[path.path] = pathItem{Post: &operation{
			OperationID: path.id, Summary: path.summary, Description: path.description, Tags: []string{ingestTag}, Parameters: params,
			RequestBody: &requestBody{Description: fmt.Sprintf("At most %d bytes, compressed and decompressed, and %d events.", logbody.MaxBytes, logbody.MaxEvents), Content: path.content},
			Responses:   responses,
		}}
	}
	request := mediaType{Schema: schema{Type: "object", Description: "An ExportLogsServiceRequest."}}
	d.Paths["/v1/logs"] = pathItem{Post: &operation{
		OperationID: "logs.otlp", Summary: "Receive OpenTelemetry logs", Tags: []string{ingestTag}, Parameters: params,
		Description: "OTLP over HTTP. The source is the resource attribute source, or the source of the request. Errors are a Status of gRPC.",
		RequestBody: &requestBody{Description: "An ExportLogsServiceRequest.", Content: map[string]mediaType{
			mediaJSON: request, "application/x-protobuf": {Schema: text("An ExportLogsServiceRequest in Protobuf.")},
		}},
		Responses: map[string]reference{strconv.Itoa(http.StatusOK): refer("responses", otlpResponse)},
	}}
}

func ingestParams(sources sqlq.Tables) map[string]parameter {
	names := schema{Type: "string"}
	for _, source := range sources {
		for _, name := range source.Names() {
			names.Enum = append(names.Enum, name)
		}
	}
	return map[string]parameter{
		sourceParam:  {Name: sourceParam, In: "query", Schema: names, Example: "edge_logs", Description: "Log source of the events. The parameter source_name and the header X-Source do the same. One of them is required, unless the body names the source."},
		sourceHeader: {Name: sourceHeader, In: "header", Schema: names, Example: "edge_logs", Description: "Log source of the events."},
		projectParam: {Name: projectParam, In: "query", Schema: schema{Type: "string"}, Description: "Project of events that name none."},
		strictParam:  {Name: strictParam, In: "query", Schema: schema{Type: "boolean"}, Description: "Whether one invalid event rejects the request."},
	}
}

func ingestSchemas() map[string]schema {
	count := func(description string) schema {
		return schema{Type: "integer", Minimum: new(0), Description: description}
	}
	counts := []member{
		required("accepted", count("Events that are durable now.")),
		required("duplicates", count("Events whose ids the source has already.")),
		required("rejected", count("Invalid events.")),
		optional("errors", list(component(rejectedSchema), fmt.Sprintf("The first %d invalid events.", logbody.MaxListedErrors))),
	}
	return map[string]schema{
		eventSchema: object(
			optional("id", text("Unique id within the source. Without it, the event gets a new UUID.")),
			optional("timestamp", schema{Type: []string{"string", "integer"}, Description: "RFC 3339, or a number since 1970 in seconds, milliseconds, microseconds or nanoseconds. Without it, the time of the request."}),
			optional("event_message", text("Message. message, log_entry, msg and log are accepted, too.")),
			optional("project", text("Project reference.")),
			optional("metadata", schema{Type: []string{"object", "array"}, Items: &schema{Type: "object"}, Description: "Further fields."}),
		),
		rejectedSchema: object(
			required("position", count("Place of the event in the request, counted from 0.")),
			required("reason", text("What is wrong.")),
		),
		loggedSchema: object(append([]member{required("message", schema{Type: "string", Enum: []any{"Logged!"}})}, counts...)...),
		refusedSchema: object(append([]member{
			required("error", detailSchema()),
		}, counts...)...),
	}
}

func ingestResponses() map[string]response {
	return map[string]response{
		loggedResponse: uncached("The accepted events are durable.", component(loggedSchema)),
		refusedEvents:  uncached("Every event is invalid, or one of a strict request.", component(refusedSchema)),
		invalidEvents:  failureResponse("The source is missing or unknown, or the body cannot be read or has no events.", nil, nil),
		largeEvents:    failureResponse("The body is too large.", nil, nil),
		otlpResponse: {
			Description: "An ExportLogsServiceResponse, with partial_success if log records are rejected.",
			Headers:     headerReferences("Cache-Control", "X-Request-Id"),
			Content:     map[string]mediaType{mediaJSON: {Schema: schema{Type: "object"}}, "application/x-protobuf": {Schema: schema{Type: "string"}}},
		},
	}
}
