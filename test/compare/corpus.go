package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// perRequest is the number of events in a request.
const perRequest = 1000

// corpus is the bodies of all ingest requests in a file, so that generating them takes no
// processor time while a server is measured.
type corpus struct {
	file     *os.File
	requests []request
	events   int
	bytes    int64
	end      time.Time

	// passes is the last pass in which the events were sent as new ones.
	passes atomic.Uint32

	// perProject counts the events, and last is the last event sent of each source.
	perProject [projectCount]int64
	last       []origin
}

// request is the place of a body in the file. Its events are of one source, as in requests
// of log shippers.
type request struct {
	source       string
	offset, size int64
	events       int
}

// writeCorpus generates the events and writes the bodies of their requests into dir.
func writeCorpus(ctx context.Context, dir string, g *generator, shuffled bool) (*corpus, error) {
	file, err := os.Create(filepath.Join(dir, "events.ndjson"))
	if err != nil {
		return nil, err
	}
	c := &corpus{file: file, events: g.count, end: g.end, last: make([]origin, len(sources()))}
	writer := bufio.NewWriterSize(file, 1<<20)
	bodies, counts := make([]bytes.Buffer, len(sources())), make([]int, len(sources()))
	flush := func(source int) error {
		if counts[source] == 0 {
			return nil
		}
		size := int64(bodies[source].Len())
		c.requests = append(c.requests, request{sources()[source].name, c.bytes, size, counts[source]})
		c.bytes += size
		counts[source] = 0
		_, err := bodies[source].WriteTo(writer)
		return err
	}
	order, line, origin := g.order(shuffled), []byte(nil), origin{}
	for position := range g.count {
		if position%100_000 == 0 && ctx.Err() != nil {
			return c, ctx.Err()
		}
		line, origin = g.append(line[:0], order(position))
		_, _ = bodies[origin.source].Write(line) // it does not fail
		c.perProject[origin.project]++
		c.last[origin.source] = origin
		if counts[origin.source]++; counts[origin.source] == perRequest {
			if err := flush(origin.source); err != nil {
				return c, err
			}
		}
	}
	for source := range bodies {
		if err := flush(source); err != nil {
			return c, err
		}
	}
	return c, writer.Flush()
}

// read returns the body of a request, in the buffer if it is large enough.
func (c *corpus) read(r request, buffer []byte) ([]byte, error) {
	if int64(cap(buffer)) < r.size {
		buffer = make([]byte, r.size)
	}
	buffer = buffer[:r.size]
	_, err := c.file.ReadAt(buffer, r.offset)
	return buffer, err
}

// relive gives the events of a body new ids and the time now, so that a server takes them for
// new events. The pass is at least 1; bodies of different passes have different ids.
func relive(body []byte, pass uint32, now time.Time) {
	stamp := now.UTC().Format(timeLayout)
	for len(body) > 0 {
		id := body[idOffset:][:8]
		var digits [4]byte
		_, _ = hex.Decode(digits[:], id) // written by append, and so valid
		binary.BigEndian.PutUint32(digits[:], binary.BigEndian.Uint32(digits[:])^pass)
		hex.Encode(id, digits[:])
		copy(body[timeOffset:], stamp)
		body = body[bytes.IndexByte(body, '\n')+1:]
	}
}
