package openapi

import (
	"fmt"
	"net/http"
	"strconv"

	"savedq/internal/api/describe"
	"savedq/internal/api/format"
	"savedq/internal/api/usagehttp"
	"savedq/internal/operations/usage"
)

// Names of components of the path of usage.
const (
	usageTag      = "Usage"
	usageResponse = "Usage"
	usageSchema   = "UsageRow"
	invalidUsage  = "InvalidUsage"
)

// addUsage adds the path of what tokens used.
func (d *document) addUsage() {
	d.Tags = append(d.Tags, tag{Name: usageTag, Description: "What tokens used, for tokens with full access."})
	var members []member
	for i, column := range usagehttp.Columns(usage.Dimensions()) {
		described := describe.Column(&column, describe.Microseconds)
		if i < len(usage.Dimensions()) {
			members = append(members, optional(column.Name, described))
		} else {
			members = append(members, required(column.Name, described))
		}
	}
	d.Components.Schemas[usageSchema] = object(members...)
	rows := object(required("result", list(component(usageSchema), "The rows, the newest day first.")))
	described := response{
		Description: "Usage by the dimensions of the parameter by. A row has the columns that it is by.",
		Headers:     headerReferences("Cache-Control", "X-Request-Id", format.TruncatedHeader),
		Content:     negotiatedFormats(),
	}
	described.Content[mediaJSON] = mediaType{Schema: rows}
	d.Components.Responses[usageResponse] = described
	d.Components.Responses[invalidUsage] = failureResponse("A parameter is invalid.", nil, nil)
	responses := responsesWith(usageResponse, isOneOf("Unauthenticated", "PermissionDenied", "ResourceExhausted", "Internal", "Unavailable"))
	responses[strconv.Itoa(http.StatusBadRequest)] = refer("responses", invalidUsage)
	var params []reference
	for _, param := range usageParams() {
		name := usageTag + "." + param.Name
		d.Components.Parameters[name] = param
		params = append(params, refer("parameters", name))
	}
	d.Paths[usagehttp.Path] = pathItem{Get: &operation{
		OperationID: "usage", Summary: "What tokens used", Tags: []string{usageTag},
		Description: "Requests, cache hits, errors, rows, runs, bytes and engine seconds by day, token, subject and saved query.",
		Parameters:  params, Responses: responses,
	}}
}

func usageParams() []parameter {
	date := func(name, description string) parameter {
		return parameter{Name: name, In: "query", Description: description, Schema: schema{Type: "string", Format: "date"}}
	}
	filter := func(name, description string) parameter {
		return parameter{Name: name, In: "query", Description: description, Schema: schema{Type: "string"}}
	}
	return []parameter{
		date(usagehttp.From, fmt.Sprintf("First day, in UTC: a date, or one relative to now, such as now-7d. Default: %d days before the last one.", usagehttp.DefaultDays-1)),
		date(usagehttp.To, "Last day, in UTC. Default: today."),
		{
			Name: usagehttp.By, In: "query", Schema: schema{Type: "string"}, Example: "day,token",
			Description: "What rows are for: a list of day, token, subject and endpoint, with commas. What is left out is added up. Default: all four.",
		},
		filter(usagehttp.Token, "Only the usage of this token."),
		filter(usagehttp.Subject, "Only the usage of this subject."),
		filter(usagehttp.Endpoint, "Only the usage of this saved query."),
	}
}
