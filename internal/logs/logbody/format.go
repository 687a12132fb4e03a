// Package logbody reads the events of request bodies, in savedq's own formats and in those
// of log shippers. Each event is either ready to be stored or rejected with a reason. The
// rules for an event are in package logevent, as for files.
package logbody

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
)

// mayBeEmpty reports whether senders use bodies without events, to test the address.
func (f Format) mayBeEmpty() bool { return f == Vercel || f == OTLPProtobuf || f == OTLPJSON }
