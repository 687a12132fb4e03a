package logbody

import (
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// maxCopiedBytes limits the events of a request in formats whose events share a part of the body, of which each event has
// a copy.
const maxCopiedBytes = 48 << 20

// ErrTooManyBytes is the error for a body whose events are too large together, with what they share.
var ErrTooManyBytes = sqlq.Errorf(sqlq.InvalidArgument,
	"the events of the request have more than %d MiB, with the labels or attributes that they share; send smaller batches", maxCopiedBytes>>20)

// origin is the source of events that are sent together, or why they have none.
type origin struct {
	source *sqlq.Table
	// rejection is the reason to reject all events of the origin, or empty, and sentSource what the sender named as
	// their source.
	rejection, sentSource string
	// denied is why the caller may not send the events, or nil.
	denied error
}

// originOf returns the origin of events in the format of a shipper that does not know of log sources. The first of the
// names that is one counts, because all of them can stand for other things. Without one, it is the source of the request.
// where says where the shipper has the names.
func (c *collector) originOf(where string, names ...string) origin {
	sent := ""
	for _, name := range names {
		if name == "" {
			continue
		}
		if source, found := c.options.Tables.FindSource(name); found {
			return origin{source: source, sentSource: source.Name, denied: c.allow(source)}
		}
		if sent == "" {
			sent = logevent.Cut([]byte(name), maxSentSource)
		}
	}
	if c.options.Source != nil {
		return origin{source: c.options.Source, sentSource: c.options.Source.Name}
	}
	reason := "source: neither the request nor " + where + " names one"
	if sent != "" {
		reason = "source: " + sqlq.Quote(sent) + ", from " + where + ", is not a log source, and the request names none"
	}
	return origin{sentSource: sent, rejection: reason + "; name a log source there, in ?source=edge_logs or in the header X-Source"}
}

// maxSentSource is the length to which what a sender named as a source is cut.
const maxSentSource = 64

// allow is [Options.Allow], called once for each source, because it logs what it denies.
func (c *collector) allow(source *sqlq.Table) error {
	if c.options.Allow == nil {
		return nil
	}
	denied, known := c.allowed[source.Name]
	if !known {
		denied = c.options.Allow(source)
		if c.allowed == nil {
			c.allowed = make(map[string]error)
		}
		c.allowed[source.Name] = denied
	}
	return denied
}

// addFrom adds an event of an origin, or rejects it. event and sent are as in add.
func (c *collector) addFrom(from *origin, event, sent []byte) error {
	if c.copiedBytes += len(event); c.copiedBytes > maxCopiedBytes {
		return ErrTooManyBytes
	}
	switch {
	case from.denied != nil:
		c.readable++
		c.result.Denied = append(c.result.Denied, logevent.Rejected{Source: from.sentSource, Position: c.position, Reason: from.denied.Error()})
		c.result.DeniedError = from.denied
	case from.rejection != "":
		c.readable++
		c.reject(from.sentSource, sent, from.rejection)
	default:
		c.add(from.source, event, sent)
	}
	return nil
}

// next moves on to the next event. It returns an error if there are too many.
func (c *collector) next() error {
	if c.position++; c.position > MaxEvents {
		return ErrTooManyEvents
	}
	return nil
}
