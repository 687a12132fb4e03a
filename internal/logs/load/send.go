package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/sync/errgroup"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logfile"
	"savedq/sqlq"
)

// SendOptions are what sending needs besides its file. It does not use Begin.
type SendOptions struct {
	Options

	Server *Server
	// Parallel is the number of requests at a time.
	Parallel int
	// Warn is called if an interrupted sending could not be continued, or cannot be later.
	Warn func(warning string)
}

// Send sends the events of one file to a running server. Events without an id get the same id
// as from [File], so that sending them again adds nothing.
//
// A file beside the input records what the server has acknowledged; see [SentPath]. If Send is
// interrupted, even by the death of the process, the next call for the same file, source and
// server continues there. It is removed once everything is sent.
func Send(ctx context.Context, path string, source *sqlq.Table, options SendOptions) (Summary, error) {
	sending := &sending{
		loading:  newLoading(path, source, options.Options, requestLimits()),
		parallel: options.Parallel,
		server:   options.Server,
		mistyped: make(map[eventrow.MistypedField]int),
	}
	err := sending.run(ctx, path, options)
	if err != nil {
		unsent, ok := errors.AsType[*unsentError](err)
		err = fmt.Errorf("send %s: %w", inputName(path), withoutPath(err))
		switch {
		case sending.sent == nil:
		case sending.sent.total().events() == 0 && ok:
			err = fmt.Errorf("send %s: %w; nothing was sent", inputName(path), unsent)
		case sending.sent.total().events() > 0:
			err = fmt.Errorf("%w; acknowledged so far: %s; run the same command again to continue", err, events(sending.sent.total().events()))
		}
		return Summary{}, errors.Join(err, sending.rejects.discard())
	}
	total := sending.sent.total()
	summary := sending.summary(path)
	summary.Loaded, summary.Duplicates = total.accepted, total.duplicates
	summary.Mistyped = mistypedFields(sending.mistyped)
	summary.SentEarlier = sending.sent.earlier
	return summary, nil
}

// sending is the sending of one file.
type sending struct {
	*loading

	server   *Server
	parallel int
	encoder  *zstd.Encoder
	// sent records what is acknowledged.
	sent     *sentFile
	mistyped map[eventrow.MistypedField]int
}

func (s *sending) run(ctx context.Context, path string, options SendOptions) (err error) {
	file, err := s.open(ctx, path, options.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	header := sentHeader{Source: s.source.Name, Server: s.server.URL, MaxEvent: s.maxBytes, Started: s.started.UTC()}
	s.sent, err = openSent(path, header, options.Warn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.sent.close(err == nil)) }()
	s.started = s.sent.started // events without a timestamp keep theirs
	for _, rejected := range s.sent.rejected {
		if err := s.rejects.write(&rejected); err != nil {
			return err
		}
	}
	s.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(s.parallel))
	if err != nil {
		return err
	}
	bar := newBar(options.Progress, path, file.Size())
	defer func() { _ = bar.Clear() }()
	if err := s.sendAll(ctx, file, bar); err != nil {
		return err
	}
	return s.rejects.close()
}

// sendAll sends what is not acknowledged yet, several batches at a time.
func (s *sending) sendAll(ctx context.Context, file *logfile.File, bar *progressbar.ProgressBar) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(1 + s.parallel) // the first one reads the file
	group.Go(func() error {
		return s.read(ctx, file, bar, s.encode, func(_ context.Context, batch *batch) error {
			for _, field := range batch.mistyped {
				s.mistyped[field]++
			}
			if !s.sent.before[batch.number] && len(batch.ends) > 0 {
				group.Go(func() error { return s.send(ctx, batch) })
			}
			return nil
		})
	})
	return group.Wait()
}

// send sends a batch, and records its acknowledgement. An event that is much longer once it is encoded can make it
// too large for one request.
func (s *sending) send(ctx context.Context, batch *batch) error {
	acknowledged := acknowledgement{Batch: batch.number}
	for first := 0; first < len(batch.ends); {
		end := batch.fit(first)
		reply, err := s.server.send(ctx, s.source, s.encoder.EncodeAll(batch.body[batch.start(first):batch.ends[end-1]], nil))
		if err != nil {
			return err
		}
		for _, rejected := range reply.Errors {
			if rejected.Position < 0 || rejected.Position >= end-first {
				return fmt.Errorf("%s rejects an event that was not sent: position %d of %d", s.server.URL, rejected.Position, end-first)
			}
			i := first + rejected.Position
			acknowledged.Rejected = append(acknowledged.Rejected, logevent.Rejected{
				Position: batch.lines[i], Reason: rejected.Reason,
				Event: logevent.Cut(bytes.TrimSuffix(batch.eventAt(i), []byte("\n")), logevent.MaxRejectedBytes),
			})
		}
		if sum := reply.Accepted + reply.Duplicates + len(reply.Errors); sum != end-first {
			return fmt.Errorf("%s acknowledges %d of %d events; is it another program than savedq?", s.server.URL, sum, end-first)
		}
		acknowledged.Accepted += reply.Accepted
		acknowledged.Duplicates += reply.Duplicates
		first = end
	}
	if err := s.sent.acknowledge(acknowledged); err != nil {
		return err
	}
	for _, rejected := range acknowledged.Rejected {
		if err := s.rejects.write(&rejected); err != nil {
			return err
		}
	}
	return nil
}
