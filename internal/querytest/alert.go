package querytest

import (
	"fmt"
	"slices"

	"savedq/sqlq"
)

// alertStates returns the states that the condition of an alert leads to.
func alertStates() []string { return []string{"firing", "ok", "no_data"} }

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
	var names []string
	for i := range query.Alerts {
		names = append(names, query.Alerts[i].Name)
	}
	if closest := sqlq.ClosestName(name, names); closest != "" {
		return fmt.Sprintf("%s has no alert %q; did you mean %s?", query.Name, name, closest)
	}
	return fmt.Sprintf("%s has no alert %q", query.Name, name)
}

// stateOf returns what the condition of the case's alert says; empty without an alert.
func stateOf(query *sqlq.SavedQuery, c *Case, result *sqlq.Result) string {
	alert := alertOf(query, c.Alert)
	if alert == nil {
		return ""
	}
	switch alert.When.Check(result, c.Now) {
	case sqlq.Met:
		return "firing"
	case sqlq.NoData:
		return "no_data"
	case sqlq.Unmet:
	}
	return "ok"
}

// compareState compares what the condition says with what the case expects.
func compareState(query *sqlq.SavedQuery, c *Case, result *sqlq.Result) []string {
	if got := stateOf(query, c, result); c.Want.State != "" && got != c.Want.State {
		return []string{fmt.Sprintf("expected the alert %s to be %s after enough checks, but it is %s: %s", c.Alert, c.Want.State, got, alertOf(query, c.Alert).When.String())}
	}
	return nil
}
