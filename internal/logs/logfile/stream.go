package logfile

import (
	"bufio"
	"context"
	"errors"
	"io"
)

// Stream splits JSON text of any of the formats of a [File], except Parquet, into raw
// events while it is being read. It is not safe for concurrent use.
type Stream struct {
	text *textReader
	// failed is the error that ended the stream.
	failed error
}

// NewStream returns a stream of the events in the content, which is not compressed.
func NewStream(content io.Reader) *Stream {
	return &Stream{text: newTextReader(bufio.NewReaderSize(content, readBufferBytes))}
}

// NewStreamWithoutBatches returns a stream of content in which the member "batch" is one like any other.
func NewStreamWithoutBatches(content io.Reader) *Stream {
	stream := NewStream(content)
	stream.text.object.withoutBatches = true
	return stream
}

// Next follows the rules of [File.Next].
func (s *Stream) Next(ctx context.Context) (raw []byte, line int, err error) {
	if s.failed != nil {
		return nil, 0, s.failed
	}
	if s.failed = ctx.Err(); s.failed != nil {
		return nil, 0, s.failed
	}
	raw, line, err = s.text.next(ctx)
	if _, malformed := errors.AsType[*MalformedError](err); err != nil && !malformed {
		s.failed = err
	}
	return raw, line, err
}
