package ingesthttp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpstatus"
	"savedq/internal/logs/logbody"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

const (
	// journalPath ends the paths that systemd-journal-upload sends to. It appends it to its address, so what precedes it
	// can name the source, as in /journald/postgres_logs/upload.
	journalPath   = "/upload"
	journalPrefix = "/journald/"
	mediaJournal  = "application/vnd.fdo.journal"
	// partBytes is how much of a journal is read before its events are stored.
	partBytes = 1 << 20
)

// journalHandler receives systemd's journal.
type journalHandler struct{ *receiver }

// ServeHTTP receives the events of one request.
func (h *journalHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	total, err := h.upload(w, r)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	text := fmt.Sprintf("entries are stored: %d; duplicates: %d; rejected: %d", total.counts.Accepted, total.counts.Duplicates, total.count)
	if total.first != "" {
		text += ", the first one because of " + total.first
	}
	writeBody(w, http.StatusAccepted, plainText, []byte(text+"\n"))
}

// uploaded is what became of the entries of a request.
type uploaded struct {
	outcome

	// count is the number of rejected entries, and first the reason of the first one.
	count int
	first string
}

// add adds what became of a part of the request.
func (u *uploaded) add(part *outcome) {
	u.counts.Accepted += part.counts.Accepted
	u.counts.Duplicates += part.counts.Duplicates
	if u.count == 0 && len(part.rejected) > 0 {
		u.first = part.rejected[0].Reason
	}
	u.count += len(part.rejected)
}

// upload stores the entries of a request. Rejected ones are no error, because the uploader would end, and then begin with
// them again.
func (h *journalHandler) upload(w http.ResponseWriter, r *http.Request) (uploaded, error) {
	var total uploaded
	var inPath []string
	source, _ := strings.CutSuffix(r.URL.Path, journalPath)
	if source != "" {
		named, found := strings.CutPrefix(source, journalPrefix)
		if !found || strings.Contains(named, "/") {
			return total, sqlq.Errorf(sqlq.NotFound, "journals are received at %s and %s<source>%[1]s", journalPath, journalPrefix)
		}
		inPath = append(inPath, named)
	}
	params, err := h.params(r, false, inPath...)
	if err != nil {
		return total, err
	}
	if params.strict {
		return total, sqlq.ParamErrorf("strict", "is not supported here, because the entries of a journal are stored part by part")
	}
	if mediaOf(r) != mediaJournal {
		return total, &statusError{http.StatusUnsupportedMediaType, sqlq.Errorf(sqlq.InvalidArgument, "the Content-Type is not that of a journal; use %s", mediaJournal)}
	}
	coding, err := codingOf(w, r)
	switch {
	case err != nil:
		return total, err
	case coding == contentcoding.Identity:
		err = h.stream(r, params, &total)
		return total, err
	}
	outcome, err := h.receive(w, r, logbody.Journal, params)
	total.add(&outcome)
	return total, err
}

// stream stores the entries of a request part by part: the first upload of a journal is as large as the journal.
func (h *journalHandler) stream(r *http.Request, params params, total *uploaded) error {
	if limited, ok := r.Body.(interface{ AllowParts() }); ok {
		limited.AllowParts()
	}
	part := &body{memory: h.memory, sender: senderOf(r)}
	defer part.free()
	position := 0
	for ended := false; !ended || len(part.bytes) > 0; {
		var err error
		if !ended {
			if ended, err = part.fill(r.Body); err != nil {
				return err
			}
		}
		length, err := logbody.CompleteEntries(part.bytes)
		switch {
		case err != nil:
			return err
		case length == 0 && ended:
			length = len(part.bytes)
		case length == 0 && len(part.bytes) > logbody.MaxBytes:
			return errTooLarge()
		case length == 0: // an entry is longer than the part
			if err := part.grow(min(2*part.reserved, logbody.MaxBytes+1)); err != nil {
				return err
			}
			continue
		}
		received := h.Clock()
		result, err := h.events(r, logbody.Journal, params, part.bytes[:length], received)
		if err != nil {
			return err
		}
		entries := len(result.Events) + len(result.Rejected) + len(result.Denied)
		shift(result.Rejected, position)
		shift(result.Denied, position)
		position += entries
		outcome, err := h.commit(r, params, result, received)
		if err != nil {
			return err
		}
		total.add(&outcome)
		part.bytes = part.bytes[:copy(part.bytes, part.bytes[length:])]
	}
	return nil
}

// shift moves the positions of events in a part to those in the request.
func shift(rejected []logevent.Rejected, position int) {
	for i := range rejected {
		rejected[i].Position += position
	}
}

// fill reads until the memory is full, which it grows to partBytes, or the body ends.
func (b *body) fill(from io.Reader) (ended bool, err error) {
	for {
		if len(b.bytes) == cap(b.bytes) {
			if len(b.bytes) >= partBytes {
				return false, nil
			}
			if err := b.grow(min(max(2*b.reserved, firstBytes), partBytes)); err != nil {
				return false, err
			}
		}
		length, err := from.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+length]
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case errors.Is(err, httpstatus.ErrSlowBody):
			return false, err
		case err != nil:
			return false, sqlq.Errorf(sqlq.InvalidArgument, "the request body could not be read to its end")
		}
	}
}

// writeError writes an error as text.
func (h *journalHandler) writeError(w http.ResponseWriter, r *http.Request, err error) {
	h.writePlainFailure(w, r, err)
}
