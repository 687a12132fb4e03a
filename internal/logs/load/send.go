package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logfile"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// SendOptions are what sending needs besides its file.
type SendOptions struct {
	Server *Server
	// Parallel is the number of requests at a time.
	Parallel int
	// Now, MaxEventBytes, Progress, Input and CSV are as in [Options].
	Now           func() time.Time
	MaxEventBytes int
	Progress      io.Writer
	Input         io.Reader
	CSV           logfile.CSV
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
	started := options.Now()
	sending := &sending{
		loading:  newLoading(path, source, started, cmp.Or(options.MaxEventBytes, logfile.MaxEventBytes)),
		parallel: options.Parallel,
		server:   options.Server,
		mistyped: make(map[logstore.MistypedField]int),
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
	summary := sending.summary(path, options.Now().Sub(started))
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
	sent *sentFile
	bar  bar

	mistyped map[logstore.MistypedField]int

	// mutex guards the rejects of the loading, and shown, the offset that the bar shows.
	mutex sync.Mutex
	shown int64
}

func (s *sending) run(ctx context.Context, path string, options SendOptions) (err error) {
	if err := s.rejects.removeOld(); err != nil {
		return err
	}
	file, err := openInput(ctx, path, options.Input, options.CSV)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	s.sent, err = openSent(path, s.header(), options.Warn)
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
	s.bar = newBar(options.Progress, path, file.Size())
	defer s.bar.finish()
	if err := s.sendAll(ctx, file); err != nil {
		return err
	}
	return s.rejects.close()
}

// header returns the header of the record of this sending.
func (s *sending) header() sentHeader {
	return sentHeader{Version: sentVersion, Source: s.source.Name, Server: s.server.URL, MaxEvent: s.maxBytes, Started: s.started.UTC()}
}

// sendAll sends what is not acknowledged yet, in several requests at a time.
func (s *sending) sendAll(ctx context.Context, file *logfile.File) error {
	group, ctx := errgroup.WithContext(ctx)
	requests := make(chan *request)
	group.Go(func() error {
		defer close(requests)
		builder := &requestBuilder{requests: requests}
		split := func(ctx context.Context, send func(*batch) error) error { return s.split(ctx, file, send) }
		err := eachBatch(ctx, split, s.newEncoder, func(ctx context.Context, batch *batch) error {
			if err := s.countLocked(batch); err != nil {
				return err
			}
			for i, position := range batch.positions {
				var err error
				if s.sent.has(position) {
					err = builder.skip(ctx, position)
				} else {
					err = builder.add(ctx, batch, i)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return builder.flush(ctx)
	})
	for range s.parallel {
		group.Go(func() error {
			for request := range requests {
				if err := s.send(ctx, request); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func (s *sending) countLocked(batch *batch) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, field := range batch.mistyped {
		s.mistyped[field]++
	}
	return s.count(batch)
}

// send sends one request, and records its acknowledgement.
func (s *sending) send(ctx context.Context, request *request) error {
	reply, err := s.server.send(ctx, s.source, s.encoder.EncodeAll(request.body, nil))
	if err != nil {
		return err
	}
	acknowledged := acknowledgement{First: request.first, Next: request.next, Accepted: reply.Accepted, Duplicates: reply.Duplicates}
	for _, rejected := range reply.Errors {
		if rejected.Position < 0 || rejected.Position >= len(request.lines) {
			return fmt.Errorf("%s rejects an event that was not sent: position %d of %d", s.server.URL, rejected.Position, len(request.lines))
		}
		acknowledged.Rejected = append(acknowledged.Rejected, logevent.Rejected{
			Position: request.lines[rejected.Position], Reason: rejected.Reason, Event: logevent.Cut(request.event(rejected.Position), logevent.MaxRejectedBytes),
		})
	}
	if sum := reply.Accepted + reply.Duplicates + len(reply.Errors); sum != len(request.lines) {
		return fmt.Errorf("%s acknowledges %d of %d events; is it another program than savedq?", s.server.URL, sum, len(request.lines))
	}
	if err := s.sent.acknowledge(acknowledged); err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, rejected := range acknowledged.Rejected {
		if err := s.rejects.write(&rejected); err != nil {
			return err
		}
	}
	s.shown = max(s.shown, request.offset)
	s.bar.set(s.shown)
	return nil
}
