package querytest

import (
	"fmt"
	"slices"

	"savedq/sqlq"
)

// stateOf returns the state that a verdict leads to.
func stateOf(verdict sqlq.Verdict) string {
	return map[sqlq.Verdict]string{sqlq.Met: "firing", sqlq.Unmet: "ok", sqlq.NoData: "no_data"}[verdict]
}

// alertOf returns an alert of a saved query; nil if it has none of the name.
func alertOf(query *sqlq.SavedQuery, name string) *sqlq.Alert {
	index := slices.IndexFunc(query.Alerts, func(alert sqlq.Alert) bool { return alert.Name == name })
	if index < 0 {
		return nil
	}
	return &query.Alerts[index]
}

// bind returns the arguments of a case. A case of an alert has the arguments of the alert.
func bind(query *sqlq.SavedQuery, c *Case) ([]sqlq.Arg, error) {
	if alert := alertOf(query, c.Alert); alert != nil {
		return query.BindAlert(alert.Params)
	}
	return query.Bind(c.Params)
}

// undeclaredAlert returns what is wrong with the name of an alert; empty for nothing.
func undeclaredAlert(query *sqlq.SavedQuery, name string) string {
	if name == "" || alertOf(query, name) != nil {
		return ""
	}
	message := fmt.Sprintf("%s has no alert %q", query.Name, name)
	if advice := sqlq.DidYouMean(name, query.AlertNames(), ""); advice != "" {
		message += "; " + advice
	}
	return message
}
