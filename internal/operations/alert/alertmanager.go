package alert

import (
	"strings"
	"time"
)

// alertmanagerAlert is an alert of Alertmanager's API, version 2.
type alertmanagerAlert struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL,omitempty"`
}

const (
	alertmanagerPath = "/api/v2/alerts"
	// missedRepeats is how many repeats can be missed before Alertmanager ends an alert by itself.
	missedRepeats = 4
)

// alertmanagerURL returns the URL of the path for alerts, of an URL with or without it.
func alertmanagerURL(address string) string {
	if address == "" || strings.HasSuffix(address, alertmanagerPath) {
		return address
	}
	return strings.TrimSuffix(address, "/") + alertmanagerPath
}

// alertmanagerOf returns a message as an alert. Its labels are the same for the begin and the end.
func alertmanagerOf(message *Message, now time.Time) alertmanagerAlert {
	alert := alertmanagerAlert{
		Labels:       map[string]string{"alertname": message.Alert, "savedq_query": message.Query, "savedq_state": string(message.State)},
		Annotations:  map[string]string{"summary": message.headline(), "description": message.details()},
		StartsAt:     message.Began.UTC(),
		GeneratorURL: message.Link,
	}
	for name, values := range message.Params {
		alert.Labels["param_"+name] = strings.Join(values, ",")
	}
	if rows := message.rowLines(); rows != "" {
		alert.Annotations["rows"] = rows
	}
	if message.Ended != nil {
		alert.EndsAt = message.Ended.UTC()
		return alert
	}
	alert.EndsAt = now.UTC().Add(missedRepeats * max(time.Minute, time.Duration(message.EverySeconds)*time.Second))
	if alert.EndsAt.Before(alert.StartsAt) { // the clock went back
		alert.EndsAt = alert.StartsAt.Add(missedRepeats * time.Minute)
	}
	return alert
}
