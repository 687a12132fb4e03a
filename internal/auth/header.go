package auth

import (
	"net/http"
	"strings"

	"savedq/sqlq"
)

// KeyHeader carries a token, as clients of the original service send it.
const KeyHeader = "X-Api-Key"

// presentedIn returns the secret in the headers, or an empty string if there is none.
// Secrets in the URL are ignored, because URLs end up in logs and histories. The error is
// an [*sqlq.Error] with the code UNAUTHENTICATED.
//
// Ambiguous headers are an error, so that a proxy and the server never attribute one
// request to different tokens.
func presentedIn(header http.Header) (string, error) {
	keys, authorizations := header[KeyHeader], header["Authorization"]
	if len(keys) > 1 || len(authorizations) > 1 {
		return "", sqlq.Errorf(sqlq.Unauthenticated, "several tokens are sent; send one X-API-KEY or one Authorization header")
	}
	key, authorization := first(keys), first(authorizations)
	scheme, bearer, _ := strings.Cut(authorization, " ")
	bearer = strings.TrimLeft(bearer, " ") // one or more spaces (RFC 9110, section 11.4)
	isBearer := strings.EqualFold(scheme, "Bearer")
	switch {
	case key != "" && isBearer && bearer != "" && bearer != key:
		return "", sqlq.Errorf(sqlq.Unauthenticated, "X-API-KEY and Authorization hold different tokens; send one of them")
	case key != "":
		return key, nil // credentials of another scheme are for a proxy
	case authorization != "" && !isBearer:
		return "", sqlq.Errorf(sqlq.Unauthenticated, "the scheme of the Authorization header is not Bearer; send Authorization: Bearer <token>")
	}
	return bearer, nil
}

// first returns the first value, or an empty string if there is none.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}
