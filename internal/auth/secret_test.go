package auth_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
)

func TestNew(t *testing.T) {
	t.Parallel()
	secret, err := auth.New(bytes.NewReader(bytes.Repeat([]byte{0xfb}, 32)))
	require.NoError(t, err)
	assert.Equal(t, "savedq_-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s", secret)
	require.NoError(t, auth.CheckSecret(secret))

	one, err := auth.New(rand.Reader)
	require.NoError(t, err)
	other, err := auth.New(rand.Reader)
	require.NoError(t, err)
	assert.NotEqual(t, one, other)
}

// New must fail if the random source fails or ends early, instead of returning a weaker
// secret.
func TestNewRequiresFullRandomness(t *testing.T) {
	t.Parallel()
	broken := errors.New("no entropy")
	secret, err := auth.New(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
	assert.Empty(t, secret)
	secret, err = auth.New(bytes.NewReader(make([]byte, 31)))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Empty(t, secret)
}

func TestHashOf(t *testing.T) {
	t.Parallel()
	// The example of FIPS 180-2, appendix B.1.
	assert.Equal(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", auth.HashOf("abc").String())
}

func TestCheckSecret(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ secret, want string }{
		"empty":            {"", "the token is empty"},
		"too long":         {strings.Repeat("x", 513), "the token is longer than 512 bytes"},
		"a line break":     {"secret\n", "not allowed in a header"},
		"a space":          {"my secret", "not allowed in a header"},
		"a control":        {"secret\x7f", "not allowed in a header"},
		"not ASCII":        {"sécret", "not allowed in a header"},
		"not UTF-8":        {"secret\xff", "not allowed in a header"},
		"longest possible": {strings.Repeat("x", 512), ""},
		"short":            {"x", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := auth.CheckSecret(test.secret)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
			if test.secret != "" {
				assert.NotContains(t, err.Error(), test.secret)
			}
		})
	}
}
