package jwt

import (
	"bytes"
	"crypto"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// Sign returns a token with the claims, signed with a key: a private key as PEM or JSON Web
// Key, or the secret of HS256. The token names the key id, unless it is empty. The error does
// not quote the key.
func Sign(keyFile []byte, keyID string, claims map[string]any) (string, error) {
	private, algorithm, err := readSigner(bytes.TrimSpace(keyFile))
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	options := new(jose.SignerOptions).WithType("JWT")
	if keyID != "" {
		options.WithHeader("kid", keyID)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.SignatureAlgorithm(algorithm), Key: private}, options)
	if err != nil {
		return "", errors.New("the key cannot sign tokens")
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", errors.New("the key cannot sign tokens")
	}
	return signed.CompactSerialize()
}

// readSigner reads a key that signs tokens, and returns its algorithm.
func readSigner(data []byte) (signer any, algorithm string, err error) {
	switch {
	case bytes.Contains(data, []byte("-----BEGIN ")):
		var keys []any
		if keys, err = parsePEM(data); err == nil {
			signer = keys[0]
		}
	case bytes.HasPrefix(data, []byte("{")):
		var parsed jose.JSONWebKey
		err = json.Unmarshal(data, &parsed)
		signer = parsed.Key
	default:
		keys, err := readSecret(data, []string{hs256})
		if err != nil {
			return nil, "", err
		}
		return keys[0].material, hs256, nil
	}
	if err != nil {
		return nil, "", errors.New("it is neither a private key, as PEM or JSON Web Key, nor a secret")
	}
	if _, algorithm, err = materialOf(signer); err != nil {
		return nil, "", err
	}
	if _, private := signer.(crypto.Signer); algorithm != hs256 && !private {
		return nil, "", errors.New("it is a public key, which cannot sign; use the private key")
	}
	return signer, algorithm, nil
}

// SetClaim sets a claim of the form path=value, where the value is JSON or else a string. Dots
// in the path lead into objects.
func SetClaim(claims map[string]any, text string) error {
	path, value, found := strings.Cut(text, "=")
	keys := strings.Split(path, ".")
	if !found || slices.Contains(keys, "") {
		return fmt.Errorf("%q is not a claim such as app_metadata.project=acme", text)
	}
	for _, key := range keys[:len(keys)-1] {
		inner, isObject := claims[key].(map[string]any)
		if _, taken := claims[key]; taken && !isObject {
			return fmt.Errorf("%q: the claim %s has a value already", text, key)
		}
		if !isObject {
			inner = make(map[string]any)
			claims[key] = inner
		}
		claims = inner
	}
	last := keys[len(keys)-1]
	if _, taken := claims[last]; taken {
		return fmt.Errorf("%q: the claim has a value already", text)
	}
	var parsed any
	if decoder := json.NewDecoder(strings.NewReader(value)); decoder.Decode(&parsed) == nil && !decoder.More() {
		claims[last] = json.RawMessage(value)
	} else {
		claims[last] = value
	}
	return nil
}
