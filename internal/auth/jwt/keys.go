package jwt

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// Names of the supported algorithms (RFC 7518 and RFC 8037).
const (
	rs256 = "RS256"
	es256 = "ES256"
	edDSA = "EdDSA"
	hs256 = "HS256"
)

func algorithmNames() []string { return []string{rs256, es256, edDSA, hs256} }

const (
	// minRSABits is what RFC 7518, section 3.3, requires.
	minRSABits = 2048
	// minSecretBytes is what RFC 7518, section 3.2, requires for HS256.
	minSecretBytes = 32
	// maxKeys limits how many keys are tried for a token without a key id.
	maxKeys = 64
)

// key is a key that checks signatures of one algorithm.
type key struct {
	id, algorithm string
	// material is an [*rsa.PublicKey], an [*ecdsa.PublicKey], an [ed25519.PublicKey], or the
	// bytes of a secret.
	material any
}

// verify returns the payload of a token in the compact form. ok is false if the signature is
// not that of the key.
func (k *key) verify(compact string) (payload []byte, ok bool) {
	signed, err := jose.ParseSignedCompact(compact, []jose.SignatureAlgorithm{jose.SignatureAlgorithm(k.algorithm)})
	if err != nil {
		return nil, false
	}
	payload, err = signed.Verify(k.material)
	return payload, err == nil
}

// keySet is an immutable set of keys.
type keySet struct {
	keys []key
	// digest identifies the content that the keys were read from.
	digest [sha256.Size]byte
}

// find returns the keys that can check a token with the algorithm and the key id. Keys without
// an id match any id, because PEM files and secrets have none.
func (s *keySet) find(algorithm, id string) []key {
	if s == nil {
		return nil
	}
	var found []key
	for _, key := range s.keys {
		if key.algorithm == algorithm && (id == "" || key.id == "" || key.id == id) {
			found = append(found, key)
		}
	}
	return found
}

// readKeys reads the keys that can check tokens of the algorithms, from a JWKS or, unless they
// are from a URL, from PEM or a secret. It ignores keys of a JWKS for other purposes. The error does not quote
// the content.
func readKeys(data []byte, algorithms []string, fromURL bool) (*keySet, error) {
	set := &keySet{digest: sha256.Sum256(data)}
	var err error
	switch trimmed := bytes.TrimSpace(data); {
	case bytes.HasPrefix(trimmed, []byte("{")):
		set.keys, err = readJWKS(trimmed, algorithms, fromURL)
	case fromURL:
		return nil, errors.New("the response is not a JSON Web Key Set")
	case bytes.Contains(trimmed, []byte("-----BEGIN ")):
		set.keys, err = readPEM(trimmed, algorithms)
	default:
		set.keys, err = readSecret(trimmed, algorithms)
	}
	switch {
	case err != nil:
		return nil, err
	case len(set.keys) == 0:
		return nil, fmt.Errorf("there is no key for %s", strings.Join(algorithms, ", "))
	case len(set.keys) > maxKeys:
		return nil, fmt.Errorf("there are more than %d keys", maxKeys)
	}
	return set, nil
}

// readJWKS reads a JSON Web Key Set, or a single key.
func readJWKS(data []byte, algorithms []string, fromURL bool) ([]key, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
		Type string            `json:"kty"`
	}
	err := json.Unmarshal(data, &set)
	if err == nil && set.Keys == nil && set.Type != "" {
		set.Keys = []json.RawMessage{data}
	}
	if err != nil || set.Keys == nil {
		return nil, errors.New("it is not a JSON Web Key Set such as {\"keys\": [{\"kty\": \"RSA\", …}]}")
	}
	var keys []key
	for _, text := range set.Keys {
		var item jose.JSONWebKey
		var purpose struct {
			Operations []string `json:"key_ops"`
		}
		if json.Unmarshal(text, &purpose) != nil || json.Unmarshal(text, &item) != nil {
			continue // other systems use keys of types that this server does not know
		}
		if item.Use != "" && item.Use != "sig" || purpose.Operations != nil && !slices.Contains(purpose.Operations, "verify") {
			continue
		}
		material, algorithm, err := materialOf(item.Key)
		if err != nil || item.Algorithm != "" && item.Algorithm != algorithm || !slices.Contains(algorithms, algorithm) {
			continue
		}
		if algorithm == hs256 && fromURL {
			return nil, errors.New("the response has a secret key, which everybody can read there; keep it in a file")
		}
		keys = append(keys, key{id: item.KeyID, algorithm: algorithm, material: material})
	}
	return keys, nil
}

// readPEM reads one or more public keys or certificates.
func readPEM(data []byte, algorithms []string) ([]key, error) {
	parsed, err := parsePEM(data)
	if err != nil {
		return nil, errors.New("its PEM is not that of public keys, such as -----BEGIN PUBLIC KEY-----")
	}
	var keys []key
	for _, item := range parsed {
		if _, private := item.(crypto.Signer); private {
			return nil, errors.New("it has a private key, which only the signer needs; use the public key")
		}
		material, algorithm, err := materialOf(item)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(algorithms, algorithm) {
			return nil, fmt.Errorf("it has a key for %s, which algorithms does not list", algorithm)
		}
		keys = append(keys, key{algorithm: algorithm, material: material})
	}
	return keys, nil
}

// parsePEM returns the keys of PEM, at least one: public keys, those of certificates, and private keys.
func parsePEM(data []byte) (keys []any, err error) {
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "EC PARAMETERS" { // openssl writes them before the key, which has them, too
			continue
		}
		key, err := parseBlock(block)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	if keys == nil {
		return nil, errors.New("there is no key")
	}
	return keys, nil
}

func parseBlock(block *pem.Block) (key any, err error) {
	switch block.Type {
	case "CERTIFICATE":
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		return certificate.PublicKey, nil
	case "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(block.Bytes)
	case "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(block.Bytes)
	case "PRIVATE KEY":
		return x509.ParsePKCS8PrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		return x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		return x509.ParseECPrivateKey(block.Bytes)
	}
	return nil, fmt.Errorf("a block of the type %q", block.Type)
}

// readSecret reads a secret, without white space around it.
func readSecret(data []byte, algorithms []string) ([]key, error) {
	switch {
	case !slices.Contains(algorithms, hs256):
		return nil, errors.New("it is neither a JSON Web Key Set nor PEM; only HS256 has a secret as its key")
	case len(data) < minSecretBytes:
		return nil, fmt.Errorf("the secret has %d bytes; HS256 needs at least %d, such as \"openssl rand -hex 32\" prints", len(data), minSecretBytes)
	}
	return []key{{algorithm: hs256, material: data}}, nil
}

// materialOf returns the public part of a key, and the algorithm that it is for. A key can
// check signatures of one algorithm only, so that a public key never serves as a secret.
func materialOf(parsed any) (material any, algorithm string, err error) {
	if private, ok := parsed.(crypto.Signer); ok {
		parsed = private.Public()
	}
	switch public := parsed.(type) {
	case *rsa.PublicKey:
		if public.N.BitLen() < minRSABits {
			return nil, "", fmt.Errorf("it has an RSA key of %d bits; at least %d are needed", public.N.BitLen(), minRSABits)
		}
		return public, rs256, nil
	case *ecdsa.PublicKey:
		if public.Curve != elliptic.P256() {
			return nil, "", errors.New("it has an elliptic curve key that is not on P-256, which ES256 needs")
		}
		return public, es256, nil
	case ed25519.PublicKey:
		return public, edDSA, nil
	case []byte:
		if len(public) < minSecretBytes {
			return nil, "", fmt.Errorf("it has a secret of %d bytes; HS256 needs at least %d", len(public), minSecretBytes)
		}
		return public, hs256, nil
	}
	return nil, "", errors.New("it has a key of an unknown type")
}
