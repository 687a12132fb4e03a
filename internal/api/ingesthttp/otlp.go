package ingesthttp

import (
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"strings"

	collector "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	rpccode "google.golang.org/genproto/googleapis/rpc/code"
	rpc "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"savedq/internal/http/httpstatus"
	"savedq/internal/logs/logbody"
	"savedq/sqlq"
)

const (
	mediaProtobuf = "application/x-protobuf"
	mediaJSON     = "application/json"
)

// otlpHandler serves OTLP over HTTP. Its responses have the encoding of the request.
type otlpHandler struct{ *receiver }

// ServeHTTP receives the events of one request.
func (h *otlpHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	params, err := h.params(r, true)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	format, err := formatOf(r)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	outcome, err := h.receive(w, r, format, params)
	if err == nil && outcome.refused {
		err = sqlq.Errorf(sqlq.InvalidArgument, "%s", outcome.reason()) // OTLP has 400 for it
	}
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	response := &collector.ExportLogsServiceResponse{}
	if rejected := len(outcome.rejected); rejected > 0 {
		first := outcome.rejected[0]
		response.PartialSuccess = &collector.ExportLogsPartialSuccess{
			RejectedLogRecords: int64(rejected),
			ErrorMessage:       fmt.Sprintf("log records are rejected: %d; the first one is at position %d: %s", rejected, first.Position, first.Reason),
		}
	}
	writeMessage(w, r, http.StatusOK, response)
}

// formatOf returns the format of a request.
func formatOf(r *http.Request) (logbody.Format, error) {
	switch mediaOf(r) {
	case mediaProtobuf:
		return logbody.OTLPProtobuf, nil
	case mediaJSON:
		return logbody.OTLPJSON, nil
	}
	return 0, &statusError{http.StatusUnsupportedMediaType, sqlq.Errorf(sqlq.InvalidArgument,
		"the Content-Type is not one of OTLP; use %s or %s", mediaProtobuf, mediaJSON)}
}

func mediaOf(r *http.Request) string {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return strings.ToLower(media)
}

// writeError writes an error as a Status, as OTLP requires.
func (h *otlpHandler) writeError(w http.ResponseWriter, r *http.Request, err error) {
	failure := sqlq.AsError(err)
	h.Errors.Log(r, err)
	httpstatus.SetRetryAfter(w.Header(), httpstatus.RetryAfter(failure))
	status := statusOf(err)
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	writeMessage(w, r, status, &rpc.Status{Code: int32(rpcCode(failure.Code)), Message: failure.PublicText(failure.Param)})
}

// writeMessage writes a message in the encoding of the request, or in JSON.
func writeMessage(w http.ResponseWriter, r *http.Request, status int, message proto.Message) {
	if mediaOf(r) == mediaProtobuf {
		body, _ := proto.Marshal(message) // cannot fail: texts are UTF-8
		writeBody(w, status, mediaProtobuf, body)
		return
	}
	body, _ := protojson.Marshal(message)
	writeBody(w, status, mediaJSON, body)
}

// rpcCode returns the code of gRPC for a code.
func rpcCode(code sqlq.Code) rpccode.Code {
	codes := map[sqlq.Code]rpccode.Code{
		sqlq.InvalidArgument:   rpccode.Code_INVALID_ARGUMENT,
		sqlq.Unauthenticated:   rpccode.Code_UNAUTHENTICATED,
		sqlq.PermissionDenied:  rpccode.Code_PERMISSION_DENIED,
		sqlq.NotFound:          rpccode.Code_NOT_FOUND,
		sqlq.MethodNotAllowed:  rpccode.Code_UNIMPLEMENTED,
		sqlq.ResourceExhausted: rpccode.Code_RESOURCE_EXHAUSTED,
		sqlq.Cancelled:         rpccode.Code_CANCELLED,
		sqlq.Unavailable:       rpccode.Code_UNAVAILABLE,
		sqlq.DeadlineExceeded:  rpccode.Code_DEADLINE_EXCEEDED,
	}
	return cmp.Or(codes[code], rpccode.Code_INTERNAL)
}
