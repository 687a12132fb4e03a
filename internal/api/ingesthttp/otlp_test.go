package ingesthttp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	rpc "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"savedq/internal/http/contentcoding"
)

// Responses have the encoding of the request, with partial_success for rejected records.
func TestOTLP(t *testing.T) {
	t.Parallel()
	deep := &common.AnyValue{}
	for range 150 {
		deep = &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: []*common.AnyValue{deep}}}}
	}
	good := &logs.LogRecord{Body: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: "m"}}}
	tooDeep := &logs.LogRecord{Attributes: []*common.KeyValue{{Key: "a", Value: &common.AnyValue{Value: &common.AnyValue_KvlistValue{KvlistValue: &common.KeyValueList{Values: []*common.KeyValue{{Key: "a", Value: deep}}}}}}}}
	for range 40 {
		tooDeep.Attributes[0].Value = &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: []*common.AnyValue{tooDeep.Attributes[0].Value}}}}
	}
	for range 20 {
		tooDeep.Attributes[0].Value = &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: []*common.AnyValue{tooDeep.Attributes[0].Value}}}}
	}
	request := func(records ...*logs.LogRecord) proto.Message {
		return &collector.ExportLogsServiceRequest{ResourceLogs: []*logs.ResourceLogs{{ScopeLogs: []*logs.ScopeLogs{{LogRecords: records}}}}}
	}
	const rejected = "log records are rejected: 1; the first one is at position 1: event: is not a valid log record of OTLP, or is nested too deeply"
	for name, test := range map[string]struct {
		target   string
		request  proto.Message
		status   int
		response proto.Message
		events   int
	}{
		"accepted":   {"/v1/logs?source=edge_logs", request(good, good), http.StatusOK, &collector.ExportLogsServiceResponse{}, 2},
		"empty":      {"/v1/logs", request(), http.StatusOK, &collector.ExportLogsServiceResponse{}, 0},
		"partial":    {"/v1/logs?source=edge_logs", request(good, tooDeep), http.StatusOK, &collector.ExportLogsServiceResponse{PartialSuccess: &collector.ExportLogsPartialSuccess{RejectedLogRecords: 1, ErrorMessage: rejected}}, 1},
		"strict":     {"/v1/logs?source=edge_logs&strict=true", request(good, tooDeep), http.StatusBadRequest, &rpc.Status{Code: 3, Message: "nothing is stored, because the request is strict and 1 event is rejected; at position 1: event: is not a valid log record of OTLP, or is nested too deeply"}, 0},
		"no source":  {"/v1/logs", request(good), http.StatusBadRequest, &rpc.Status{Code: 3, Message: "every event is rejected; at position 0: source: the request names none; set the resource attribute source or the header X-Source"}, 0},
		"bad source": {"/v1/logs?source=x", request(good), http.StatusBadRequest, &rpc.Status{Code: 3, Message: `source: "x" is not a log source; the log sources are ` + sourceList}, 0},
	} {
		for _, media := range []string{"application/x-protobuf", "application/json; charset=utf-8"} {
			t.Run(name+" "+media, func(t *testing.T) {
				t.Parallel()
				isJSON := strings.HasPrefix(media, "application/json")
				body, err := proto.Marshal(test.request)
				if isJSON {
					body, err = protojson.Marshal(test.request)
				}
				require.NoError(t, err)
				committer := &fakeCommitter{}
				response := post(t, newHandlers(committer, nil).OTLP, test.target, string(contentcoding.Gzip.Encode(body)), "Content-Type", media, "Content-Encoding", "gzip")
				assert.Equal(t, test.status, response.Code)
				assert.Len(t, committer.events(), test.events)
				decoded := test.response.ProtoReflect().New().Interface()
				if isJSON {
					assert.Equal(t, "application/json", response.Header().Get("Content-Type"))
					require.NoError(t, protojson.Unmarshal(response.Body.Bytes(), decoded))
				} else {
					assert.Equal(t, "application/x-protobuf", response.Header().Get("Content-Type"))
					require.NoError(t, proto.Unmarshal(response.Body.Bytes(), decoded))
				}
				assert.True(t, proto.Equal(test.response, decoded), "%v", decoded)
			})
		}
	}
	response := post(t, newHandlers(&fakeCommitter{}, nil).OTLP, "/v1/logs?source=edge_logs", "x", "Content-Type", "text/plain")
	assert.Equal(t, http.StatusUnsupportedMediaType, response.Code)
	assert.JSONEq(t, `{"code":3,"message":"the Content-Type is not one of OTLP; use application/x-protobuf or application/json"}`, response.Body.String())
}
