package auth

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"savedq/sqlq"
)

// Headers that carry a token, as clients of the original service and log shippers send it.
const (
	KeyHeader = "X-Api-Key"
	// OriginalKeyHeader is the header of clients that were written for the original service.
	OriginalKeyHeader = "Lf-Api-Key"
	// DatadogKeyHeader is the header of clients that send logs as to Datadog.
	DatadogKeyHeader = "Dd-Api-Key"
	// ClickHouseKeyHeader is the header of clients that send SQL as to ClickHouse.
	ClickHouseKeyHeader = "X-Clickhouse-Key"
)

// credentialHeaders are the headers that can carry a token.
func credentialHeaders() []string {
	return []string{KeyHeader, OriginalKeyHeader, DatadogKeyHeader, ClickHouseKeyHeader, "Authorization"}
}

// presentedIn returns the secret in the headers, or an empty string if there is none.
// Secrets in the URL are ignored, because URLs end up in logs and histories. The error is
// an [*sqlq.Error] with the code UNAUTHENTICATED.
//
// Ambiguous headers are an error, so that a proxy and the server never attribute one
// request to different tokens.
func (k *Keyring) presentedIn(header http.Header) (string, error) {
	for _, name := range credentialHeaders() {
		if len(header[name]) > 1 {
			return "", sqlq.Errorf(sqlq.Unauthenticated, "several tokens are sent; send one X-API-KEY or one Authorization header")
		}
	}
	authorization := first(header["Authorization"])
	scheme, bearer, _ := strings.Cut(authorization, " ")
	isBearer := strings.EqualFold(scheme, "Bearer")
	credentials := bearer
	if !isBearer {
		bearer = "" // credentials of another scheme are for a proxy
	}
	presented, presentedBy := "", ""
	for _, sent := range [...]struct{ header, token string }{
		{"X-API-KEY", first(header[KeyHeader])},
		{"LF-API-KEY", first(header[OriginalKeyHeader])},
		{"DD-API-KEY", first(header[DatadogKeyHeader])},
		{"X-ClickHouse-Key", first(header[ClickHouseKeyHeader])},
		{"Authorization", strings.TrimLeft(bearer, " ")}, // one or more spaces (RFC 9110, section 11.4)
	} {
		switch {
		case sent.token == "":
		case presented == "":
			presented, presentedBy = sent.token, sent.header
		case sent.token != presented:
			return "", differentTokens(presentedBy, sent.header)
		}
	}
	switch token, ok := encodedToken(scheme, credentials); {
	case ok && presented == "":
		return token, nil
	case ok && token != presented && k.isToken(token):
		return "", differentTokens(presentedBy, "Authorization")
	case presented == "" && isEncoded(scheme):
		return "", sqlq.Errorf(sqlq.Unauthenticated,
			"the Authorization header has no token of at least %d characters; send it as the password of its credentials, or as Authorization: Bearer <token>", shortestEncoded)
	case presented == "" && authorization != "" && !isBearer:
		return "", sqlq.Errorf(sqlq.Unauthenticated, "the scheme of the Authorization header is not Bearer; send Authorization: Bearer <token>")
	}
	return presented, nil
}

func differentTokens(first, second string) error {
	return sqlq.Errorf(sqlq.Unauthenticated, "%s and %s hold different tokens; send one of them", first, second)
}

// isToken reports whether a secret belongs to a known token, even an expired one, or looks like a token.
func (k *Keyring) isToken(secret string) bool {
	return (*k.grants.Load())[HashOf(secret)] != nil || IsSecret(secret) || k.signed != nil && k.signed.HasForm(secret)
}

// shortestEncoded is the length from which a text in encoded credentials can be a token.
const shortestEncoded = 16

func isAPIKey(scheme string) bool { return strings.EqualFold(scheme, "ApiKey") }

// isEncoded reports whether the credentials of a scheme can have a token in Base64.
func isEncoded(scheme string) bool { return isAPIKey(scheme) || strings.EqualFold(scheme, "Basic") }

// encodedToken returns the token of credentials in Base64: Basic credentials, in which drains of log shippers send one that
// stands in their URL, or an ApiKey, in which clients of Elasticsearch send an id and a secret, or the token as it
// is. It is the password or the
// secret or, without one, the user. Credentials of which neither has the length of a token are for a proxy. So are
// credentials that are no token, if the request has another one.
func encodedToken(scheme, credentials string) (token string, ok bool) {
	if !isEncoded(scheme) {
		return "", false
	}
	credentials = strings.TrimLeft(credentials, " ")
	decoded, err := base64.StdEncoding.DecodeString(credentials)
	switch {
	case err != nil && isAPIKey(scheme):
		decoded = []byte(credentials)
	case err != nil:
		return "", false
	}
	user, password, _ := strings.Cut(string(decoded), ":")
	token = cmp.Or(password, user)
	return token, len(token) >= shortestEncoded
}

// holdsKey reports whether the query string has a token, as clients of the original service
// may send it.
func holdsKey(query url.Values) bool { return query.Has("api_key") }

// first returns the first value, or an empty string if there is none.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}
