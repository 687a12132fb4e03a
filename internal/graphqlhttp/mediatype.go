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
	asJSON, asGraphQL, position := preference{}, preference{}, 0
	for item := range accept.Items(headers) {
		position++
		candidate := preference{weight: item.Quality, place: position} // a malformed quality counts as 1
		asJSON.consider(candidate, item.Value, jsonMediaType)
		asGraphQL.consider(candidate, item.Value, graphqlMediaType)
	}
	switch {
	case asGraphQL.isPreferredTo(asJSON):
		return graphqlMediaType, true
	default:
		return jsonMediaType, asJSON.weight > 0 || position == 0
	}
}

// preference is how the Accept headers rank a media type. The zero value is for a media
// type that no range matches.
type preference struct {
	weight float64
	// precision says how precise the matching media range is: 3 for the type itself.
	precision int
	// place is the position of the range in the headers.
	place int
}

// consider replaces the preference with the quality of a media range, if the range matches the
// media type and is more precise than those before.
func (p *preference) consider(candidate preference, mediaRange, mediaType string) {
	switch mediaRange {
	case mediaType:
		candidate.precision = 3
	case "application/*":
		candidate.precision = 2
	case "*/*":
		candidate.precision = 1
	default:
		return
	}
	if candidate.precision > p.precision {
		*p = candidate
	}
}

// isPreferredTo reports whether the media type is preferred to another one, which is JSON.
func (p preference) isPreferredTo(other preference) bool {
	if p.weight == other.weight { // JSON wins unless it is named later
		return p.weight > 0 && p.precision == 3 && (other.precision < 3 || p.place < other.place)
	}
	return p.weight > other.weight
}
