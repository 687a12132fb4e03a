package sqlq_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

func TestFormatBytes(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]string{
		0:             "0 B",
		1023:          "1023 B",
		1024:          "1 KiB",
		1536:          "1.5 KiB",
		1<<20 - 1<<7:  "1023.9 KiB",
		1<<20 - 1:     "1 MiB",
		10 << 30:      "10 GiB",
		1 << 40:       "1 TiB",
		1<<60 - 1:     "1 EiB",
		math.MaxInt64: "8 EiB",
	} {
		assert.Equal(t, want, sqlq.FormatBytes(bytes), bytes)
	}
}
