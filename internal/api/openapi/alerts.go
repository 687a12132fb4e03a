package openapi

import (
	"net/http"
	"strconv"

	"savedq/internal/api/alerthttp"
	"savedq/internal/operations/alert"
)

// Names of components of the paths of alerts.
const (
	alertsTag    = "Alerts"
	alertSchema  = "Alert"
	alertNoted   = "AlertNoted"
	alertChecked = "AlertChecked"
	alertPreview = "AlertPreview"
	invalidAlert = "InvalidAlert"
)

// addAlerts adds the paths of alerts.
func (d *document) addAlerts() {
	d.Tags = append(d.Tags, tag{Name: alertsTag, Description: "Conditions on the rows of saved queries that the server checks."})
	d.Components.Schemas[alertSchema] = schemaOf[alert.Listed]()
	d.Components.Responses[alertsTag] = uncached("The alerts, by saved query and name.",
		object(
			required("alerts", list(component(alertSchema), "The alerts whose rows the token could get itself.")),
			required("manages", schema{Type: "boolean", Description: "Whether the token may silence and acknowledge them."}),
			required("saves", schema{Type: "boolean", Description: "Whether the server writes alerts of the token to folders."}),
			required("targets", list(text("Name."), "Targets that alerts can notify. Empty for tokens with limits.")),
		))
	d.Paths[alerthttp.Path] = pathItem{Get: &operation{
		OperationID: "alerts", Summary: "Alerts and their states", Tags: []string{alertsTag},
		Description: "The alerts of the saved queries that the token may run with their parameters.",
		Responses:   responsesWith(alertsTag, isOfList),
	}}
}

// addAlertNotes adds the paths of what people say about alerts.
func (d *document) addAlertNotes() {
	d.Components.Responses[invalidAlert] = failureResponse("The body cannot be read, or a value in it is missing or invalid; `argument` names it.", nil, nil)
	d.Components.Responses[alertNoted] = response{Description: "It is stored.", Headers: headerReferences("Cache-Control", "X-Request-Id")}
	d.Paths[alerthttp.SilencePath] = alertPost("alertsSilence", "Silence an alert",
		"Sends no messages of the alert until a time. What begins meanwhile is announced only if it lasts beyond, and the end of what was announced is sent then.",
		schemaOf[alerthttp.SilenceRequest]())
	d.Paths[alerthttp.AcknowledgePath] = alertPost("alertsAcknowledge", "Acknowledge an alert",
		"Notes that somebody knows of the state of the alert, until the state ends.",
		schemaOf[alerthttp.AcknowledgeRequest]())
	d.Components.Responses[alertChecked] = uncached("Its mistakes, and its lines in query.yaml.", schemaOf[alerthttp.Checked]())
	check := alertPost("alertsCheck", "Check the declaration of an alert", "Finds mistakes, and writes nothing.", schemaOf[alerthttp.Declared]())
	delete(check.Post.Responses, strconv.Itoa(http.StatusNoContent))
	check.Post.Responses[strconv.Itoa(http.StatusOK)] = refer("responses", alertChecked)
	d.Paths[alerthttp.CheckPath] = check
	d.Components.Responses[alertPreview] = uncached("What checks would have measured, or the mistakes of the declaration.", schemaOf[alerthttp.Preview]())
	preview := alertPost("alertsPreview", "What an alert would have measured",
		"Runs the saved query up to 56 times, each with only the events until a moment of the last day or week. It needs the embedded store.", schemaOf[alerthttp.PreviewRequest]())
	delete(preview.Post.Responses, strconv.Itoa(http.StatusNoContent))
	preview.Post.Responses[strconv.Itoa(http.StatusOK)] = refer("responses", alertPreview)
	d.Paths[alerthttp.PreviewPath] = preview
}

// addAlertEdits adds the paths that write alerts to folders.
func (d *document) addAlertEdits() {
	d.Paths[alerthttp.SavePath] = alertPost("alertsSave", "Declare an alert",
		"Writes the alert to the query.yaml of its saved query. Its other lines, and comments, stay.", schemaOf[alerthttp.Declared]())
	d.Paths[alerthttp.DeletePath] = alertPost("alertsDelete", "Delete an alert", "Removes the alert from the query.yaml of its saved query.", schemaOf[alerthttp.Named]())
}

// alertPost returns a path that stores something about an alert.
func alertPost(id, summary, description string, body schema) pathItem {
	responses := responsesWith(alertNoted, isOneOf("Unauthenticated", "PermissionDenied", "NotFound", "ResourceExhausted", "Internal"))
	delete(responses, strconv.Itoa(http.StatusOK))
	responses[strconv.Itoa(http.StatusNoContent)] = refer("responses", alertNoted)
	responses[strconv.Itoa(http.StatusBadRequest)] = refer("responses", invalidAlert)
	return pathItem{Post: &operation{
		OperationID: id, Summary: summary, Tags: []string{alertsTag}, Description: description,
		RequestBody: &requestBody{Description: "The alert, and what to note.", Content: map[string]mediaType{mediaJSON: {Schema: body}}},
		Responses:   responses,
	}}
}
