package resolvers

import (
	"mime"
	"strconv"
	"strings"
)

// The media types that a response can have. They differ in the status of a
// request whose document is refused.
const (
	jsonMediaType    = "application/json"
	graphqlMediaType = "application/graphql-response+json"
)

// responseMediaType chooses the media type that the Accept headers like best: the
// first of those with the highest weight. Who names neither type gets JSON.
func responseMediaType(accept []string) string {
	best, bestWeight := jsonMediaType, 0.0
	for entry := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		mediaType, params, err := mime.ParseMediaType(strings.TrimSpace(entry))
		if err != nil {
			continue
		}
		if mediaType == "*/*" || mediaType == "application/*" {
			mediaType = jsonMediaType
		}
		if mediaType != jsonMediaType && mediaType != graphqlMediaType {
			continue
		}
		weight, err := strconv.ParseFloat(params["q"], 64)
		if err != nil {
			weight = 1
		}
		if weight > bestWeight {
			best, bestWeight = mediaType, weight
		}
	}
	return best
}
