// Package logbody reads the events of request bodies, in savedq's own formats and in those
// of log shippers. Each event is either ready to be stored or rejected with a reason. The
// rules for an event are in package logevent, as for files.
package logbody

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logfile"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

const (
	// MaxBytes is the largest body, compressed or not.
	MaxBytes = 12 << 20
	// MaxEvents is the largest number of events in one body, rejected ones included. It bounds
	// the memory for bodies of many tiny events.
	MaxEvents = 100_000
	// MaxListedErrors is the number of rejected events that the response to a body lists.
	MaxListedErrors = 1000
)

// ErrTooManyEvents is the error for a body of more than [MaxEvents] events.
var ErrTooManyEvents = sqlq.Errorf(sqlq.InvalidArgument, "the request body has more than %d events; send smaller batches", MaxEvents)

// Format is what a body holds.
type Format int

// The formats.
const (
	// JSON is what files hold, too: NDJSON, an event, a list of events or {"batch":[…]}.
	JSON Format = iota
	// Cloudflare is what Logpush sends: NDJSON, an object for each record of a dataset.
	Cloudflare
	// Vector is what the sink "http" of Vector sends with the codec json: a list or NDJSON.
	Vector
	// Vercel is what log drains of Vercel send: a list or NDJSON.
	Vercel
	// Syslog is lines as of RFC 5424, or JSON from templates of syslog-ng and rsyslog.
	Syslog
	// OTLPProtobuf and OTLPJSON are an ExportLogsServiceRequest of OTLP.
	OTLPProtobuf
	OTLPJSON
	// LokiProtobuf and LokiJSON are a PushRequest of Loki.
	LokiProtobuf
	LokiJSON
	// Datadog is what Datadog's agent sends: a list of objects.
	Datadog
	// Bulk is the body of Elasticsearch's bulk API: lines with actions, each followed by a document.
	Bulk
	// Journal is entries of systemd's journal in its export format.
	Journal

	// Formats is the number of formats.
	Formats = int(iota)
)

// mayBeEmpty reports whether senders use bodies without events, to test the address.
func (f Format) mayBeEmpty() bool {
	return slices.Contains([]Format{Vercel, OTLPProtobuf, OTLPJSON, LokiProtobuf, LokiJSON, Datadog, Journal}, f)
}

// isBinary reports whether bodies can hold any bytes.
func (f Format) isBinary() bool { return f == OTLPProtobuf || f == LokiProtobuf || f == Journal }

// Options are what events are read with.
type Options struct {
	// Source is the source of all events, except those that name another one. It is nil if the request names none, which
	// formats allow whose events can name one: OTLP, Loki, Datadog and Bulk.
	Source *sqlq.Table
	// Index is the index of documents of Bulk whose action names none. It may be empty.
	Index string
	// Members are pairs of the name and the text of members that entries of Datadog have if they have none of the name
	// themselves.
	Members [][2]string
	// Tables are those that events can name.
	Tables sqlq.Tables
	// Project is the project of events that name none. It may be empty.
	Project string
	// Now is the timestamp of events without one.
	Now time.Time
	// NewID returns the id of an event without one.
	NewID func() string
	// MaxEventBytes is the maximum length of an event, as it was sent. Longer ones are rejected.
	// Zero is no limit.
	MaxEventBytes int
	// Allow returns an error for a source whose events the caller may not send. It is called for each source that
	// events name. Nil allows all.
	Allow func(*sqlq.Table) error
}

// Result is what a body holds.
type Result struct {
	Events []logevent.Sourced
	// Rejected are in the order of their positions.
	Rejected []logevent.Rejected
	// Denied are events of sources that the caller may not send, which must not be kept as
	// rejected events of those sources, and DeniedError is what Allow returned for one of them.
	Denied      []logevent.Rejected
	DeniedError error
	// Items are the actions of Bulk, by position.
	Items []BulkItem
}

// Read reads the events of a body. It returns an INVALID_ARGUMENT error if the body, or each
// of its parts, cannot be read as the format at all, or has no events, unless senders use
// this body as a test. For a body that is too large for one batch it returns [ErrTooManyEvents] or [ErrTooManyBytes].
func Read(ctx context.Context, format Format, body []byte, options Options) (Result, error) {
	c := &collector{options: options, native: format == JSON}
	if options.Project != "" {
		c.project = &options.Project
	}
	if err := checkBinary(format, body); err != nil {
		return Result{}, err
	}
	if err := c.read(ctx, format, body); err != nil {
		return Result{}, err
	}
	switch {
	case len(c.result.Events) > 0 || c.tests > 0 || c.readable > 0:
	case len(c.result.Rejected) > 0:
		return Result{}, sqlq.Errorf(sqlq.InvalidArgument, "the request body cannot be read: %s", c.result.Rejected[0].Reason)
	case !format.mayBeEmpty():
		return Result{}, sqlq.Errorf(sqlq.InvalidArgument, "the request body has no events")
	}
	return c.result, nil
}

// checkBinary returns an error that names what a body is that begins as no text does.
func checkBinary(format Format, body []byte) error {
	switch {
	case format.isBinary():
	case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
		return sqlq.Errorf(sqlq.InvalidArgument, "the request body is compressed with gzip; send it with the header Content-Encoding: gzip")
	case bytes.HasPrefix(body, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return sqlq.Errorf(sqlq.InvalidArgument, "the request body is compressed with zstd; send it with the header Content-Encoding: zstd")
	case len(body) > 0 && (body[0]&0xe0 == 0x80 || body[0] >= 0xdc && body[0] <= 0xdf): // a map or a list
		return sqlq.Errorf(sqlq.InvalidArgument, "the request body looks like MessagePack, which is not supported; send JSON (Fluent Bit: Format json)")
	}
	return nil
}

// collector collects the events of a body.
type collector struct {
	options Options
	// project is the project of the options, or nil.
	project *string
	// native reports whether events have the fields that savedq defines, set by their sender.
	native bool
	// position is the position of the next event.
	position int
	decoder  logevent.Decoder
	// readable counts the rejected events that were readable as the format.
	readable int
	// tests counts what senders send to test the address.
	tests int
	// allowed holds what Options.Allow returned for the sources that events name.
	allowed map[string]error
	// copiedBytes counts the bytes of events that share a part of the body.
	copiedBytes int
	result      Result
}

func (c *collector) read(ctx context.Context, format Format, body []byte) error {
	switch format {
	case JSON:
		return c.readEvents(ctx, body, false, c.addRaw)
	case Cloudflare:
		return c.readEvents(ctx, body, true, c.addCloudflare)
	case Vector:
		return c.readEvents(ctx, body, true, c.rewritten(vectorFields().rewrite))
	case Vercel:
		return c.readEvents(ctx, body, true, c.rewritten(vercelEvent))
	case Syslog:
		return c.readSyslog(ctx, body)
	case OTLPProtobuf:
		return c.readOTLP(encodedMessage(body))
	case OTLPJSON:
		return c.readOTLPJSON(body)
	case LokiProtobuf:
		return c.readLokiProtobuf(body)
	case LokiJSON:
		return c.readLokiJSON(body)
	case Datadog:
		return c.readEvents(ctx, body, true, c.addDatadog)
	case Bulk:
		return c.readBulk(body)
	case Journal:
		return c.readJournal(body)
	}
	return sqlq.Errorf(sqlq.Internal, "unknown format %d", format)
}

// readEvents calls add for each event of JSON in any of the forms that files may have, perhaps
// without that of a batch.
func (c *collector) readEvents(ctx context.Context, body []byte, withoutBatches bool, add func(raw []byte) error) error {
	stream := logfile.NewStream(bytes.NewReader(body), withoutBatches)
	for {
		raw, _, err := stream.Next(ctx)
		malformed, isMalformed := errors.AsType[*logfile.MalformedError](err)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return sqlq.Errorf(sqlq.InvalidArgument,
				"the request body is truncated, or a bracket or quote in it is not closed: it ends inside an event, a list or a batch")
		case err != nil && !isMalformed:
			return err
		case c.position == MaxEvents:
			return ErrTooManyEvents
		case isMalformed:
			c.reject(c.requestSource(), malformed.Raw, malformed.Reason)
		default:
			if err := add(raw); err != nil {
				return err
			}
		}
		c.position++
	}
}

// addRaw adds an event that is sent as savedq defines it.
func (c *collector) addRaw(raw []byte) error {
	c.add(c.options.Source, raw, raw)
	return nil
}

// requestSource returns the name of the source that the request names, or an empty string.
func (c *collector) requestSource() string {
	if c.options.Source == nil {
		return ""
	}
	return c.options.Source.Name
}

// add adds an event, or rejects it. sent is what the sender sent, and event is the same as
// savedq defines it.
func (c *collector) add(source *sqlq.Table, event, sent []byte) {
	if limit := c.options.MaxEventBytes; limit > 0 && len(sent) > limit {
		c.readable++
		c.reject(source.Name, sent, fmt.Sprintf("event: has %d bytes; the server's --max-event allows %s", len(sent), sqlq.FormatBytes(int64(limit))))
		return
	}
	decoded, _, err := c.decoder.Decode(event, logevent.Defaults{Now: c.options.Now, Rows: source.TakesRows(), ID: c.options.NewID})
	if err != nil {
		c.rejectError(source.Name, sent, err)
		return
	}
	if decoded.Project == nil {
		decoded.Project = c.project
		logevent.PlaceProject(source, &decoded)
	} else if !c.native { // the shipper does not know where the source has it
		logevent.PlaceProject(source, &decoded)
	}
	c.result.Events = append(c.result.Events, logevent.Sourced{Source: source, Event: decoded})
}

// rejectError rejects an event that cannot be decoded.
func (c *collector) rejectError(source string, sent []byte, err error) {
	if _, unreadable := errors.AsType[*logevent.NotObjectError](err); !unreadable {
		c.readable++
	}
	c.reject(source, sent, err.Error())
}

// reject rejects the event at the current position.
func (c *collector) reject(source string, sent []byte, reason string) {
	c.result.Rejected = append(c.result.Rejected, logevent.Rejected{
		Source: source, Position: c.position, Reason: reason, Event: logevent.Cut(sent, logevent.MaxRejectedBytes),
	})
}

// NamedSource returns the source that a body of the format JSON names, or an empty string. Clients of the
// original service name it beside log_entry and in {"batch":[…],"source":"…"}. In other objects, in those of
// a list and of NDJSON, source is a field like any other.
func NamedSource(body []byte) string {
	const key = "source"
	if !bytes.Contains(body, []byte(`"`+key+`"`)) {
		return ""
	}
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	reader := jsontext.NewScanner(bytes.TrimRight(body, " \t\r\n"))
	source, names := "", false
	for more := reader.Enter('{'); more; more, _ = reader.More('}') {
		name, _, isKey := reader.Key()
		value, isValue := reader.Value(0)
		if !isKey || !isValue {
			reader.Position = len(reader.Text)
		}
		switch {
		case string(name) == "log_entry", string(name) == "batch" && value.Is('['):
			names = true
		case string(name) == key && isValue && value.Is('"'):
			source = jsontext.Unquote(value)
		case string(name) == key && !value.Is('n'):
			source = string(value)
		}
	}
	if !names || reader.Peek() != 0 { // another object follows
		return ""
	}
	return source
}
