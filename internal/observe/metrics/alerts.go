package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"savedq/internal/operations/alert"
)

// Alerts are the metrics of alerts.
type Alerts struct {
	checks, messages *prometheus.CounterVec
}

var _ alert.Observer = (*Alerts)(nil)

// NewAlerts registers the metrics of alerts. counts returns how many alerts are in each state, how
// many are silenced, and how many messages are not delivered yet.
func (m *Metrics) NewAlerts(counts func() alert.Counts) *Alerts {
	a := &Alerts{
		checks: m.counters("savedq_alert_checks_total",
			"Checks of alerts, by outcome: met, unmet, no_data or failed.", endpointLabel, "outcome"),
		messages: m.counters("savedq_alert_messages_total",
			"Messages of alerts and attempts to deliver them, by target and outcome: delivered, failed, which is tried again, given_up, or dropped, because too many wait.", "target", "outcome"),
	}
	for _, state := range alert.States() {
		promauto.With(m.registry).NewGaugeFunc(prometheus.GaugeOpts{
			Name: "savedq_alerts", Help: "Alerts, by state: unknown, ok, pending, firing, no_data or failing.", ConstLabels: prometheus.Labels{"state": string(state)},
		}, func() float64 { return float64(counts().States[state]) })
	}
	gaugeFunc(m, "savedq_alert_messages_pending", "Messages of alerts that are not delivered yet.", func() int { return counts().Pending })
	gaugeFunc(m, "savedq_alerts_silenced", "Alerts whose messages are kept back by a silence, in any state.", func() int { return counts().Silenced })
	m.alerts = a
	return a
}

// AlertChecked counts a check of an alert of a saved query.
func (a *Alerts) AlertChecked(query string, outcome alert.Outcome) {
	a.checks.WithLabelValues(query, string(outcome)).Inc()
}

// AlertMessage counts an attempt to deliver a message.
func (a *Alerts) AlertMessage(target, outcome string) {
	a.messages.WithLabelValues(target, outcome).Inc()
}
