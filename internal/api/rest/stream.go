package rest

import (
	"bufio"
	"log/slog"
	"net/http"
	"time"

	"savedq/internal/api/format"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httperror"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

const (
	// stallTimeout is how long a client may read nothing of a stream.
	stallTimeout = 30 * time.Second
	// streamBuffer is how many bytes of a stream are sent at a time.
	streamBuffer = 64 << 10
)

// serveStream serves a saved query with stream: the rows are sent while they arrive. An error
// before the first row is an error as for any request. Later, the connection is aborted, so that
// no client takes the part for the whole.
func (h *handler) serveStream(w http.ResponseWriter, r *http.Request, request runner.Request, output format.Format) error {
	if output.Begin == nil { // the runner's error says why
		_, err := h.runner.Run(r.Context(), request)
		return err
	}
	s := &streamWriter{w: w, controller: http.NewResponseController(w), output: output, query: request.Query}
	request.Emit, request.HeadersOnly = s.emit, r.Method == http.MethodHead
	response, err := h.runner.Run(r.Context(), request)
	if err == nil {
		err = s.end(response.Result.Truncated)
	}
	if err != nil && s.rows != nil {
		h.errors.Log(r, err)
		h.logger.InfoContext(r.Context(), "a stream was cut off", slog.String("endpoint", request.Query.Name), slog.String("code", string(sqlq.AsError(err).Code)))
		s.abort(err)
	}
	return err
}

// streamWriter writes the response of a stream.
type streamWriter struct {
	w          http.ResponseWriter
	controller *http.ResponseController
	output     format.Format
	query      *sqlq.SavedQuery
	// buffer is before w, and rows before buffer; nil until the response has begun.
	buffer *bufio.Writer
	rows   format.Writer
}

// begin writes the head of the response. Whether rows were cut off is known at the end only, and so
// in a trailer.
func (s *streamWriter) begin() (err error) {
	header := s.w.Header()
	header.Set("Content-Type", s.output.ContentType())
	header.Set("Cache-Control", "no-store")
	header.Set("X-Cache", string(runner.Off))
	header.Set("Trailer", format.TruncatedHeader)
	httpcache.AddVary(header, "Accept, "+httpcache.Credentials)
	s.w.WriteHeader(http.StatusOK)
	s.buffer = bufio.NewWriterSize(s.w, streamBuffer)
	s.rows, err = s.output.Begin(s.buffer, s.query.Columns)
	return err
}

// emit writes rows; nil begins the response.
func (s *streamWriter) emit(batch *sqlq.Batch) error {
	_ = s.controller.SetWriteDeadline(time.Now().Add(stallTimeout)) //nolint:forbidigo // A deadline of the network is of real time. Not every writer has one.
	if s.rows == nil {
		if err := s.begin(); err != nil {
			return err
		}
	}
	if batch == nil {
		return nil
	}
	return s.rows.Write(batch)
}

// end ends the response.
func (s *streamWriter) end(truncated bool) error {
	if err := s.emit(nil); err != nil {
		return err
	}
	if truncated {
		s.w.Header().Set(format.TruncatedHeader, "true")
	}
	if err := s.rows.End(truncated); err != nil {
		return err
	}
	return s.buffer.Flush()
}

// abort ends a response that has begun without the end of its body. NDJSON has the error as its last line.
func (s *streamWriter) abort(err error) {
	if s.output.ErrorLine {
		_, _ = s.buffer.Write(append(httperror.Encode(httperror.Body{Error: httperror.DetailOf(sqlq.AsError(err))}), '\n'))
	}
	_ = s.buffer.Flush() // the client may have gone
	_ = s.controller.Flush()
	panic(http.ErrAbortHandler)
}
