package ingesthttp

import (
	"cmp"
	"net/http"
	"slices"

	"savedq/internal/auth"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logbody"
	"savedq/internal/logs/logevent"
	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
)

// receiver receives the events of requests.
type receiver struct {
	Config
	bodies *bodyReader
}

// receive reads, decodes and commits the events of a request. It rejects the request before
// it reads the body if the request is invalid or the memory is used up.
func (s *receiver) receive(w http.ResponseWriter, r *http.Request, format logbody.Format, params params) (outcome, error) {
	received := s.Clock()
	body, err := s.bodies.read(w, r)
	if err != nil {
		return outcome{}, err
	}
	if format == logbody.JSON {
		if params.source, err = s.sourceOf(r, params.source, body.bytes); err != nil {
			body.free()
			return outcome{}, err
		}
	}
	result, err := logbody.Read(r.Context(), format, body.bytes, logbody.Options{
		Source: params.source, Tables: s.Tables(), Project: params.project, Now: received, NewID: s.NewID, MaxEventBytes: s.MaxEventBytes,
		Allow: func(source *sqlq.Table) error { return auth.MayIngest(r.Context(), source.Name, s.Logger) },
	})
	body.free() // the committer accounts for the events
	rejected := slices.Concat(result.Rejected, result.Denied)
	slices.SortStableFunc(rejected, func(a, b logevent.Rejected) int { return cmp.Compare(a.Position, b.Position) })
	switch {
	case err != nil:
		return outcome{}, withStatus(err)
	case len(result.Denied) > 0 && len(result.Events)+len(result.Rejected) == 0:
		return outcome{}, result.DeniedError
	case len(result.Events)+len(result.Rejected) == 0, params.strict && len(rejected) > 0:
		return outcome{rejected: rejected, refused: len(rejected) > 0, strict: params.strict}, nil
	}
	counts, err := s.Committer.Commit(r.Context(), ingest.Batch{
		Received: received, RequestID: requestlog.ID(r.Context()), Sender: senderOf(r), Events: result.Events, Rejected: result.Rejected,
	})
	if err != nil {
		return outcome{}, err
	}
	return outcome{counts: counts, rejected: rejected, refused: len(result.Events) == 0}, nil
}

// withStatus adds the status 413 to errors about the size of a batch.
func withStatus(err error) error {
	if err == logbody.ErrTooManyEvents || err == logbody.ErrTooManyBytes { //nolint:errorlint // They are not wrapped.
		return &statusError{http.StatusRequestEntityTooLarge, err}
	}
	return err
}

// statusError is an error whose status is more precise than its code.
type statusError struct {
	status int
	err    error
}

// Error returns the text of the error.
func (e *statusError) Error() string { return e.err.Error() }

// Unwrap returns the error.
func (e *statusError) Unwrap() error { return e.err }

// errTooLarge is the error for a body over the limit.
func errTooLarge() error {
	return &statusError{http.StatusRequestEntityTooLarge, sqlq.Errorf(sqlq.InvalidArgument,
		"the request body is larger than %d bytes, the limit for a compressed body and for a decompressed one; send smaller batches", logbody.MaxBytes)}
}
