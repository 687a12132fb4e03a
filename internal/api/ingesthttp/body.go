package ingesthttp

import (
	"errors"
	"io"
	"net/http"
	"time"

	"savedq/internal/auth"
	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpstatus"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logbody"
	"savedq/sqlq"
)

const (
	// firstBytes is the memory that a request needs before its body has arrived.
	firstBytes = 4 << 10
	// busyRetryAfter is how long a rejected sender should wait before retrying.
	busyRetryAfter = time.Second
)

// body is memory with the body of a request. Callers must free it.
type body struct {
	memory *ingest.Memory
	// sender names whose memory it is.
	sender string
	bytes  []byte
	// reserved is the capacity of bytes.
	reserved int64
}

// free returns the memory.
func (b *body) free() {
	b.memory.Release(b.sender, b.reserved)
	b.bytes, b.reserved = nil, 0
}

// grow moves the body to memory of a larger capacity.
func (b *body) grow(capacity int64) error {
	if !b.memory.Reserve(b.sender, capacity) {
		if b.memory.Held(b.sender) > b.reserved {
			return sqlq.Rejectf(sqlq.Unavailable, busyRetryAfter,
				"the requests of this token use its share of the memory for events; send fewer at a time, or smaller batches")
		}
		return sqlq.Rejectf(sqlq.Unavailable, busyRetryAfter, "the memory for events, which all senders share, is used up; try again")
	}
	grown := append(make([]byte, 0, capacity), b.bytes...)
	b.memory.Release(b.sender, b.reserved)
	b.bytes, b.reserved = grown, capacity
	return nil
}

// codingOf returns the coding of the body of a request.
func codingOf(w http.ResponseWriter, request *http.Request) (contentcoding.Coding, error) {
	coding, supported := contentcoding.Sent(request.Header["Content-Encoding"])
	if !supported {
		w.Header().Set("Accept-Encoding", contentcoding.Supported)
		return "", &statusError{http.StatusUnsupportedMediaType, sqlq.Errorf(sqlq.InvalidArgument,
			"the request body has a Content-Encoding that is not supported; use one of %s, or none", contentcoding.Supported)}
	}
	return coding, nil
}

// read reads and decodes the body of a request. The memory grows with what has arrived, and
// not with what the sender announces. So slow senders hold little of it.
func (s *receiver) read(w http.ResponseWriter, request *http.Request, format logbody.Format) (*body, error) {
	coding, err := codingOf(w, request)
	if err != nil {
		return nil, err
	}
	if request.ContentLength > logbody.MaxBytes {
		return nil, errTooLarge()
	}
	sender := senderOf(request)
	sent := &body{memory: s.memory, sender: sender}
	if err := sent.readAll(request); err != nil {
		sent.free()
		return nil, err
	}
	if coding != contentcoding.Identity {
		if sent, err = s.decoded(sent, coding, "although its Content-Encoding is "+string(coding)); err != nil {
			return nil, err
		}
	}
	if format == logbody.LokiProtobuf && coding != contentcoding.Snappy {
		return s.decoded(sent, contentcoding.Snappy, "in which clients of Loki send Protobuf, with or without the header Content-Encoding")
	}
	return sent, nil
}

// decoded frees a body and returns what it decodes to. why says why the body should be in the coding.
func (s *receiver) decoded(sent *body, coding contentcoding.Coding, why string) (*body, error) {
	defer sent.free()
	return s.decode(coding, sent.sender, sent.bytes, why)
}

// senderOf names the sender of a request: its token.
func senderOf(request *http.Request) string {
	token, _ := auth.FromContext(request.Context())
	return token.Issuer + " " + token.Name
}

// readAll reads the body of a request.
func (b *body) readAll(request *http.Request) error {
	// One byte more than the body, so that its end is found without growing.
	most := int64(logbody.MaxBytes + 1)
	if request.ContentLength >= 0 {
		most = request.ContentLength + 1
	}
	for {
		if len(b.bytes) == cap(b.bytes) {
			if err := b.grow(min(max(2*b.reserved, firstBytes), most)); err != nil {
				return err
			}
		}
		length, err := request.Body.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+length]
		switch {
		case len(b.bytes) > logbody.MaxBytes:
			return errTooLarge()
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, httpstatus.ErrSlowBody):
			return err
		case err != nil:
			return sqlq.Errorf(sqlq.InvalidArgument, "the request body could not be read to its end")
		}
	}
}

// decode decodes a body. It starts with the memory that the body announces, and tries again
// with more if that is too little.
func (s *receiver) decode(coding contentcoding.Coding, sender string, sent []byte, why string) (*body, error) {
	decoded := &body{memory: s.memory, sender: sender}
	for size := min(max(contentcoding.SizeHint(coding, sent), int64(len(sent))), logbody.MaxBytes); ; size = min(4*size+1, logbody.MaxBytes) {
		decoded.free() // what does not fit is decoded again
		if err := decoded.grow(size + contentcoding.DecodeSlack); err != nil {
			return nil, err
		}
		result, err := s.codings.DecodeInto(coding, sent, decoded.bytes)
		switch {
		case err == nil:
			decoded.bytes = result
			return decoded, nil
		case errors.Is(err, contentcoding.ErrTooLarge) && size < logbody.MaxBytes:
			continue
		}
		decoded.free()
		if errors.Is(err, contentcoding.ErrTooLarge) {
			return nil, errTooLarge()
		}
		return nil, sqlq.Errorf(sqlq.InvalidArgument, "the request body is not valid %s, %s", coding, why)
	}
}
