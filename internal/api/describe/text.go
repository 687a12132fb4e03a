package describe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/internal/api/format"
	"savedq/sqlq"
	"savedq/sqlq/sandbox"
)

// WithDeprecation returns a description with the reason of a deprecation.
func WithDeprecation(description, reason string) string {
	if reason != "" {
		description += " Deprecated: " + reason
	}
	return strings.TrimSpace(description)
}

// Limits describes the maximum number of rows and the caching of a saved query.
func Limits(query *sqlq.SavedQuery) string {
	text := fmt.Sprintf("At most %d rows. ", query.MaxRows)
	if query.Stream {
		text += "They are a stream: the format must be one of " + format.Served(true) + ", and an error in the middle ends the connection. "
	}
	if query.Cache == 0 {
		return text + "Responses are not cached."
	}
	text += fmt.Sprintf("Responses are cached for %s", Seconds(query.Cache))
	if query.Warm > 0 {
		text += fmt.Sprintf(" and refreshed every %s while in use", Seconds(query.Warm))
	}
	return text + "."
}

// Seconds returns a duration in seconds.
func Seconds(duration time.Duration) string {
	return strconv.FormatFloat(duration.Seconds(), 'f', -1, 64) + " s"
}

// WithSQL returns a saved query with the SQL of callers as its last parameter (D40).
func WithSQL(query *sqlq.SavedQuery) *sqlq.SavedQuery {
	withSQL := *query
	param := sandbox.Declare(query)
	param.Description += " The rows have the columns of that SELECT."
	withSQL.Params = append(slices.Clone(query.Params), *param)
	return &withSQL
}
