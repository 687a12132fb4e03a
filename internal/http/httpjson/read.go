package httpjson

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"

	"savedq/internal/jsontext"
	"savedq/sqlq"
)

// Read reads a body of at most limit bytes strictly. Its errors name the shape that the body must have. It
// requires the content type, because browsers send requests with other types for pages of any origin without asking.
func Read(r *http.Request, into any, limit int64, shape string) error {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		return sqlq.Errorf(sqlq.InvalidArgument, "the header Content-Type must be application/json")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	switch {
	case err != nil:
		return sqlq.Errorf(sqlq.InvalidArgument, "the body could not be read").WithCause(err)
	case int64(len(body)) > limit:
		return sqlq.Errorf(sqlq.InvalidArgument, "the body is larger than %s", sqlq.FormatBytes(limit))
	}
	if _, err := jsontext.DecodeObject(body); err != nil {
		return sqlq.Errorf(sqlq.InvalidArgument, "the body must be %s; it %s", shape, err)
	}
	if name, fault := jsontext.WrongName(body, into); fault != "" {
		return sqlq.ParamErrorf(name, "%s", fault)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return sqlq.Errorf(sqlq.InvalidArgument, "the body must be %s", shape).WithCause(err)
	}
	return nil
}
