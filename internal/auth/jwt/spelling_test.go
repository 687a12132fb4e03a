package jwt_test

import (
	"crypto/elliptic"
	"encoding/base64"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// No other text of a token's bytes is accepted: it would be counted as another token.
func TestSpellings(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	for algorithm, keys := range map[string]string{"RS256": "rsa.pem", "ES256": "ecdsa.pem", "EdDSA": "ed25519.pem", "HS256": "secret"} {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			verifier := open(t, k, issuerOf(algorithm, keys), noon, nil)
			good := k.sign(t, algorithm, `{"alg":"`+algorithm+`"}`, claims(map[string]any{"sub": nil}))
			accepted, tried := []string(nil), 0
			for i := range 3 {
				parts := strings.Split(good, ".")
				part := parts[i]
				var spellings []string
				for _, last := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
					spellings = append(spellings, part[:len(part)-1]+string(last))
				}
				spellings = append(spellings, part+"=", part+"==", part+"\n", "\r"+part, part+" ", part+"A", strings.NewReplacer("-", "+", "_", "/").Replace(part))
				for _, spelling := range spellings {
					parts[i] = spelling
					tried++
					if _, err := verifier.Verify(t.Context(), strings.Join(parts, ".")); err == nil && spelling != part {
						accepted = append(accepted, spelling)
					}
				}
			}
			assert.Greater(t, tried, 143)
			assert.Empty(t, accepted)
		})
	}
}

// An ES256 signature has two values. Both are valid, and are counted as one token.
func TestSpellingsOfAnECDSASignature(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	verifier := open(t, k, issuerOf("ES256", "ecdsa.pem"), noon, nil)
	good := k.sign(t, "ES256", `{"alg":"ES256"}`, claims(map[string]any{"sub": nil}))
	unsigned, text := good[:strings.LastIndex(good, ".")], good[strings.LastIndex(good, ".")+1:]
	signature, err := base64.RawURLEncoding.DecodeString(text)
	require.NoError(t, err)
	half := len(signature) / 2
	s := new(big.Int).SetBytes(signature[half:])
	new(big.Int).Sub(elliptic.P256().Params().N, s).FillBytes(signature[half:])
	other := unsigned + "." + base64.RawURLEncoding.EncodeToString(signature)
	require.NotEqual(t, good, other)
	first, err := verifier.Verify(t.Context(), good)
	require.NoError(t, err)
	second, err := verifier.Verify(t.Context(), other)
	require.NoError(t, err)
	assert.Equal(t, first.Claims, second.Claims)
}
