package format

import (
	"sync"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/s2"
)

// useFastSnappy makes the Parquet library compress with Snappy in the fast way. Its own way takes half the time of the
// encoding, for files that are a little smaller.
var useFastSnappy = sync.OnceFunc(func() { //nolint:gochecknoglobals // The library's codecs are.
	codec, err := compress.GetCodec(compress.Codecs.Snappy)
	if err == nil {
		compress.RegisterCodec(compress.Codecs.Snappy, fastSnappy{codec})
	}
})

// fastSnappy is Snappy that compresses fast.
type fastSnappy struct{ compress.Codec }

// Encode compresses src into dst, or into new memory if dst is too small.
func (fastSnappy) Encode(dst, src []byte) []byte { return s2.EncodeSnappy(dst, src) }

// EncodeLevel is Encode, since Snappy has no levels.
func (fastSnappy) EncodeLevel(dst, src []byte, _ int) []byte { return s2.EncodeSnappy(dst, src) }
