package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestByteSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		size byteSize
		text string
	}{
		"0":       {0, "0 B"},
		"1":       {1, "1 B"},
		"1000B":   {1000, "1000 B"},
		"1.5 KiB": {1536, "1.5 KiB"},
		"500MB":   {500_000_000, "476.8 MiB"},
		"1048575": {1<<20 - 1, "1 MiB"},
		"10GiB":   {10 << 30, "10 GiB"},
		"2T":      {2_000_000_000_000, "1.8 TiB"},
	} {
		var size byteSize
		require.NoError(t, size.UnmarshalText([]byte(text)))
		assert.Equal(t, want.size, size)
		assert.Equal(t, want.text, size.String())
	}
	for _, text := range []string{"", "-1", "10 gib", "ten", "1e3", "1GiBs", "9999999P", "GiB"} {
		var size byteSize
		require.Error(t, size.UnmarshalText([]byte(text)), text)
	}
}
