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
	d.Components.Schemas[alertSchema] = schemaOf[alert.Listed]()
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
