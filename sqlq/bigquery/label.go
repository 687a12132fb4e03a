package bigquery

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

const (
	// endpointLabel is the label that names the endpoint a job runs for, so that
	// the bill can be split by it.
	endpointLabel = "savedq_endpoint"
	// labelLength is the most characters that a label's key or value may have.
	labelLength = 63
)

// checkLabel returns an error if an operator's label is not valid.
func checkLabel(key, value string) error {
	switch {
	case key == endpointLabel:
		return fmt.Errorf("label %s is set by savedq; choose another key in --bigquery-labels", key)
	case !regexp.MustCompile(`\A[a-z][a-z0-9_-]{0,62}\z`).MatchString(key):
		return fmt.Errorf("label key %q is not 1 to 63 lower-case letters, digits, underscores and dashes that begin with a letter; correct it in --bigquery-labels", key)
	case !regexp.MustCompile(`\A[a-z0-9_-]{0,63}\z`).MatchString(value):
		return fmt.Errorf("value %q of label %s is not at most 63 lower-case letters, digits, underscores and dashes; correct it in --bigquery-labels", value, key)
	}
	return nil
}

// labels returns the labels of a job that runs for the endpoint.
func (c Config) labels(endpoint string) map[string]string {
	labels := map[string]string{endpointLabel: labelValue(endpoint)}
	maps.Copy(labels, c.Labels)
	return labels
}

// labelValue converts a name to a label value: functions.invocation-stats becomes
// functions_invocation-stats.
func labelValue(name string) string {
	value := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		default:
			return '_'
		}
	}, name)
	return value[:min(len(value), labelLength)]
}
