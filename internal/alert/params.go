package alert

import (
	"maps"
	"slices"
	"strings"

	"savedq/sqlq"
)

// paramsOf returns the parameters of an alert; empty without any.
func paramsOf(alert *sqlq.Alert) map[string][]string {
	if alert.Params == nil {
		return map[string][]string{}
	}
	return alert.Params
}

// paramsText returns parameters in one line, by name.
func paramsText(params map[string][]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		parts = append(parts, name+"="+strings.Join(params[name], ","))
	}
	return strings.Join(parts, " ")
}
