package graphqlhttp

import "savedq/internal/http/accept"

// The media types of responses. They differ in the status of a request whose document is
// rejected.
const (
	jsonMediaType    = "application/json"
	graphqlMediaType = "application/graphql-response+json"
)

// responseMediaType returns the media type that the Accept headers prefer (RFC 9110,
// section 12.5.1). With equal weights it is the one that is named first, or JSON if
// neither is named. Without an Accept header it is JSON. It reports whether the headers
// allow either; if not, the error is sent as JSON.
func responseMediaType(headers []string) (mediaType string, acceptable bool) {
	if len(headers) == 0 || len(headers) == 1 && (headers[0] == "*/*" || headers[0] == jsonMediaType) {
		return jsonMediaType, true // the fast path: nearly all requests
	}
	var preferences [2]preference
	position := 0
	for item := range accept.Items(headers) {
		position++
		for i, mediaType := range [...]string{jsonMediaType, graphqlMediaType} {
			precision := map[string]int{"*/*": 1, "application/*": 2, mediaType: 3}[item.Value]
			if precision > preferences[i].precision {
				preferences[i] = preference{item.Quality, precision, position} // a malformed quality counts as 1
			}
		}
	}
	asJSON, asGraphQL := preferences[0], preferences[1]
	isNamedFirst := asGraphQL.precision == 3 && (asJSON.precision < 3 || asGraphQL.place < asJSON.place)
	if asGraphQL.weight > asJSON.weight || asGraphQL.weight == asJSON.weight && asGraphQL.weight > 0 && isNamedFirst {
		return graphqlMediaType, true
	}
	return jsonMediaType, asJSON.weight > 0 || position == 0
}

// preference is how the Accept headers rank a media type: the quality, the precision (3 for the type itself)
// and the position of the most precise range that matches it. The zero value is for none.
type preference struct {
	weight           float64
	precision, place int
}
