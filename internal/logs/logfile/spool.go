package logfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// spool copies a stream into a temporary file, which remove deletes.
func spool(ctx context.Context, content io.Reader) (path string, remove func() error, err error) {
	file, err := os.CreateTemp("", "savedq-*.parquet")
	if err != nil {
		return "", nil, fmt.Errorf("unpack: %w", err)
	}
	remove = func() error { return os.Remove(file.Name()) }
	_, err = io.Copy(file, &cancelableReader{ended: ctx.Err, reader: content})
	if err = errors.Join(err, file.Close()); err != nil {
		return "", nil, errors.Join(fmt.Errorf("unpack: %w", err), remove())
	}
	return file.Name(), remove, nil
}

// cancelableReader fails as soon as its context has ended.
type cancelableReader struct {
	ended  func() error
	reader io.Reader
}

func (c *cancelableReader) Read(buffer []byte) (int, error) {
	if err := c.ended(); err != nil {
		return 0, err
	}
	return c.reader.Read(buffer)
}
