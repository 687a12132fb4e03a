package catalog

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

const (
	mostAlerts = 1000
	// shortestEvery keeps alerts from occupying the engine.
	shortestEvery = 10 * time.Second
	mostFor       = 1000
	// defaultAlertRows and highestAlertRows limit the rows in a message.
	defaultAlertRows = 20
	highestAlertRows = 100
	alertPattern     = `^[a-z0-9]+([_-][a-z0-9]+)*$`
	mostAlertBytes   = 64
)

// CheckAlert returns the one alert that a document declares for a saved query, or its mistakes, as they are in
// query.yaml. The document has the key alerts alone.
func CheckAlert(query *sqlq.SavedQuery, data []byte) (*sqlq.Alert, []strictyaml.Mistake) {
	reader := &strictyaml.Reader{MostBytes: mostFileBytes, SecondDocument: "an alert is one document"}
	bare := *query
	bare.Alerts = nil
	if m := reader.Read(data, "alerts"); m != nil {
		readAlerts(m, &bare, &queryPlaces{})
		if bare.Stream {
			m.Start.Mistakef("alerts cannot be combined with \"stream: true\"")
		}
	}
	if mistakes := reader.Mistakes(); len(mistakes) > 0 || len(bare.Alerts) != 1 {
		return nil, mistakes
	}
	return &bare.Alerts[0], nil
}

// readAlerts reads the alerts of a saved query, after its parameters and columns.
func readAlerts(m *strictyaml.Mapping, query *sqlq.SavedQuery, places *queryPlaces) {
	if !m.Has("alerts") {
		return
	}
	entries, isMapping := m.At("alerts").Entries()
	switch {
	case !isMapping || len(entries) == 0:
		m.At("alerts").Mistakef("alerts must be a mapping of names to alerts")
	case len(entries) > mostAlerts:
		m.At("alerts").Mistakef("a saved query has at most %d alerts", mostAlerts)
		return
	}
	for _, entry := range entries {
		readAlert(entry, query, places)
	}
	slices.SortFunc(query.Alerts, func(a, b sqlq.Alert) int { return strings.Compare(a.Name, b.Name) })
}

func readAlert(entry strictyaml.Entry, query *sqlq.SavedQuery, places *queryPlaces) {
	switch {
	case len(entry.Name) > mostAlertBytes:
		entry.Key.Mistakef("the name of an alert %q is longer than %d characters", entry.Name, mostAlertBytes)
	case !regexp.MustCompile(alertPattern).MatchString(entry.Name):
		entry.Key.Mistakef("the name of an alert %q is not a name of lower-case letters and digits, joined by dashes or underscores, such as errors-high", entry.Name)
	}
	a := entry.Value.Mapping("title", "every", "params", "when", "for", "notify", "rows")
	if a == nil {
		return
	}
	a.Require("every", "when")
	every := readSeconds(a, "every", "a duration of whole seconds, such as 30s, 5m, 1h or 1d")
	if every > 0 && every < shortestEvery {
		a.At("every").Mistakef("every must be at least %s", shortestEvery)
	}
	alert := sqlq.Alert{
		Name: entry.Name, Title: a.Text("title"), Every: max(every, shortestEvery),
		For: a.Integer("for", 1, 1, mostFor), Rows: a.Integer("rows", defaultAlertRows, 0, highestAlertRows), Place: places.of(entry.Key),
	}
	if alert.Title == "" {
		alert.Title = alert.Name
	}
	if a.Has("params") {
		alert.Params = readAlertParams(a.At("params"), query)
	}
	if _, err := query.Bind(alert.Params); err != nil {
		wrong := sqlq.AsError(err)
		paramPlace(a, wrong.Param).Mistakef("parameter %s", wrong.PublicText(wrong.Param))
	}
	if a.Has("when") {
		alert.When = readCondition(a.At("when"), query)
	}
	for _, node := range a.List("notify", emptyList) {
		name, ok := node.Scalar()
		switch {
		case !ok || name == "":
			node.Mistakef("notify must list names of targets")
		case slices.ContainsFunc(alert.Notify, func(named sqlq.Named) bool { return named.Name == name }):
			node.Mistakef("target %q is listed twice", name)
		default:
			alert.Notify = append(alert.Notify, sqlq.Named{Name: name, Place: places.of(node)})
		}
	}
	query.Alerts = append(query.Alerts, alert)
}

// readAlertParams reads the raw parameters of an alert.
func readAlertParams(node strictyaml.Node, query *sqlq.SavedQuery) map[string][]string {
	entries, isMapping := node.Entries()
	if !isMapping {
		node.Mistakef("params must be a mapping of parameters to values")
		return nil
	}
	params := make(map[string][]string, len(entries))
	for _, entry := range entries {
		if query.Param(entry.Name) == nil {
			entry.Key.Mistakef("parameter %q is not declared%s", entry.Name, suggestion(entry.Name, query.ParamNames()))
			continue
		}
		params[entry.Name] = entry.Value.Texts("a parameter must be a single value, or a list of them for an array")
	}
	return params
}

// suggestion returns the end of a message about a name that is not known.
func suggestion(name string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; " + sqlq.DidYouMean(name, names, "use one of "+strings.Join(names, ", "))
}

// paramPlace returns where a parameter of an alert is, or else where the alert begins.
func paramPlace(a *strictyaml.Mapping, name string) strictyaml.Node {
	if !a.Has("params") {
		return a.Start
	}
	entries, _ := a.At("params").Entries()
	for _, entry := range entries {
		if entry.Name == name {
			return entry.Value.First()
		}
	}
	return a.At("params").First()
}

// readCondition reads a condition: any, none, or the comparison of a column of the first row.
func readCondition(node strictyaml.Node, query *sqlq.SavedQuery) sqlq.Condition {
	if text, isScalar := node.Scalar(); isScalar {
		switch kind := sqlq.ConditionKind(text); kind {
		case sqlq.AnyRow, sqlq.NoRow:
			return sqlq.Condition{Kind: kind}
		case sqlq.FirstRow:
		}
		node.Mistakef("when %q is unknown; use any, none, or {first: \"column > value\"}", text)
		return sqlq.Condition{Kind: sqlq.AnyRow}
	}
	if !node.IsMapping() {
		node.Mistakef("when must be any, none, or {first: \"column > value\"}")
		return sqlq.Condition{Kind: sqlq.AnyRow}
	}
	entries, _ := node.Entries()
	for _, entry := range entries {
		if kind := sqlq.ConditionKind(entry.Name); kind == sqlq.AnyRow || kind == sqlq.NoRow {
			entry.Key.Mistakef("%[1]s has no value; write \"when: %[1]s\", which compares no columns", kind)
			return sqlq.Condition{Kind: kind}
		}
	}
	w := node.Mapping(string(sqlq.FirstRow))
	w.Require(string(sqlq.FirstRow))
	text := w.Text(string(sqlq.FirstRow))
	if text == "" || len(query.Columns) == 0 { // reported already
		return sqlq.Condition{Kind: sqlq.AnyRow}
	}
	condition, err := sqlq.ParseComparison(text, query.Columns)
	if err != nil {
		w.At(string(sqlq.FirstRow)).Mistakef("first: %s", err)
		return sqlq.Condition{Kind: sqlq.AnyRow}
	}
	return condition
}
