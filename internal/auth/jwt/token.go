package jwt

import (
	"encoding/base64"
	"strings"

	"savedq/internal/auth"
	"savedq/internal/text/jsontext"
)

// unverified is a token whose signature has not been checked.
type unverified struct {
	compact        string
	algorithm, kid string
	payload        []byte
	claims         claims
}

// HasForm reports whether a secret has the form of a signed token: three parts, of which the
// first is a JSON object in base64url.
func HasForm(secret string) bool {
	return strings.HasPrefix(secret, "ey") && strings.Count(secret, ".") == 2
}

// parse reads a token in the compact form. Its error is for the caller.
func parse(compact string) (*unverified, error) {
	if len(compact) > auth.MaxSignedBytes {
		return nil, refusef("the token is longer than %d bytes", auth.MaxSignedBytes)
	}
	parts := strings.Split(compact, ".")
	if len(parts) != 3 {
		return nil, refusef("the token is not complete; it must have three parts, separated by dots")
	}
	header, err := decodePart(parts[0], "header")
	if err != nil {
		return nil, err
	}
	token := &unverified{compact: compact}
	if token.algorithm, err = stringOf(header, "alg"); err != nil {
		return nil, err
	}
	if _, critical := header["crit"]; critical {
		return nil, refusef("the token's header has crit, which this server does not support")
	}
	if _, found := header["kid"]; found {
		if token.kid, err = stringOf(header, "kid"); err != nil {
			return nil, err
		}
	}
	if token.claims, err = decodePart(parts[1], "payload"); err != nil {
		return nil, err
	}
	token.payload, _ = encoding().DecodeString(parts[1])
	// The library that verifies the signature would accept other texts of the same bytes.
	if _, err := decodeBase64(parts[2], "signature"); err != nil {
		return nil, err
	}
	return token, nil
}

func encoding() *base64.Encoding { return base64.RawURLEncoding.Strict() }

// decodePart decodes a part of a token, which is a JSON object.
func decodePart(part, name string) (map[string]any, error) {
	text, err := decodeBase64(part, name)
	if err != nil {
		return nil, err
	}
	object, err := jsontext.DecodeObject(text)
	if err != nil {
		return nil, refusef("the token's %s %s", name, err)
	}
	return object, nil
}

// decodeBase64 decodes a part of a token, of which no other text has the same bytes.
func decodeBase64(part, name string) ([]byte, error) {
	decoded, err := encoding().DecodeString(part)
	if err != nil || strings.ContainsAny(part, "\r\n") { // which the decoder ignores
		return nil, refusef("the token's %s is not base64url; check that all of the token is sent", name)
	}
	return decoded, nil
}

func stringOf(header map[string]any, name string) (string, error) {
	text, ok := header[name].(string)
	if !ok || text == "" {
		return "", refusef("the token's header has no %s, or one that is not a string", name)
	}
	return text, nil
}
