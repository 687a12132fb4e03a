package openapi

import (
	"savedq/internal/alert"
	"savedq/internal/alerthttp"
)

// Names of components of the path of alerts.
const (
	alertsTag   = "Alerts"
	alertSchema = "Alert"
)

// addAlerts adds the path that lists alerts.
func (d *document) addAlerts() {
	d.Tags = append(d.Tags, tag{Name: alertsTag, Description: "Conditions on the rows of saved queries that the server checks."})
	d.Components.Schemas[alertSchema] = alertObject()
	d.Components.Responses[alertsTag] = response{
		Description: "The alerts, by saved query and name.",
		Headers:     headerReferences("Cache-Control", "X-Request-Id"),
		Content: map[string]mediaType{mediaJSON: {Schema: object(
			required("alerts", list(refer("schemas", alertSchema).schema(), "The alerts whose rows the token could get itself.")),
		)}},
	}
	d.Paths[alerthttp.Path] = pathItem{Get: &operation{
		OperationID: "alerts", Summary: "Alerts and their states", Tags: []string{alertsTag},
		Description: "The alerts of the saved queries that the token may run with their parameters.",
		Responses:   responsesWith(alertsTag, isOfList),
	}}
}

// alertObject returns the schema of an [alert.Listed].
func alertObject() schema {
	timeOrNull := func(description string) schema {
		return schema{Type: nullable("string"), Format: "date-time", Description: description}
	}
	textOrNull := func(description string) schema {
		return schema{Type: nullable("string"), Description: description}
	}
	var states []any
	for _, state := range alert.States() {
		states = append(states, string(state))
	}
	stateOf := func(description string) schema { return schema{Type: "string", Enum: states, Description: description} }
	return object(
		required("query", text("Name of the saved query.")),
		required("name", text("Name of the alert, which is unique within the saved query.")),
		required("title", text("Title for people.")),
		required("state", stateOf("Its state.")),
		required("since", timeOrNull("When the state began.")),
		required("checked", timeOrNull("When the alert was last checked.")),
		required("next", timeOrNull("When it is checked next.")),
		required("every", schema{Type: "integer", Description: "Seconds between two checks."}),
		required("for", schema{Type: "integer", Description: "How many checks in a row change the state."}),
		required("count", schema{Type: "integer", Description: "How many of the last checks in a row showed the same, at most as many as for."}),
		required("condition", text("The condition.")),
		required("params", schema{Type: "object", Description: "The parameters of its checks."}),
		required("error", textOrNull("Why the last check failed.")),
		required("columns", list(object(required("name", text("Name.")), required("type", text("Type, in GoogleSQL's words."))), "Columns of rows.")),
		required("rows", list(schema{Type: "object"}, "First rows of the last check.")),
		required("truncated", schema{Type: "boolean", Description: "Whether there were more rows."}),
		required("notify", list(object(
			required("target", text("Name of the target.")),
			required("pending", schema{Type: "integer", Description: "Messages that are not delivered yet."}),
			required("delivered", timeOrNull("When the last message was delivered.")),
			required("error", textOrNull("Why the last attempt failed.")),
		), "Who is notified. Empty for tokens with limits.")),
		required("history", list(object(
			required("at", schema{Type: "string", Format: "date-time", Description: "When."}),
			required("state", stateOf("The state that began.")),
		), "The last changes of the state, the newest first.")),
	)
}
