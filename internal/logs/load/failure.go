package load

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
)

// unsentError is a failure that retrying cannot fix, before the server has received
// anything.
type unsentError struct{ error }

// Unwrap returns the error itself.
func (e *unsentError) Unwrap() error { return e.error }

// isPermanent reports whether a failure to connect lasts: the URL, the certificate or the
// configuration of the server must change. While a server that was reached before is restarted, its name
// may not resolve, and connections may end with an alert.
func isPermanent(err error, reached bool) bool {
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		return name.IsNotFound && !reached
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return true
	}
	var (
		certificate *tls.CertificateVerificationError
		header      tls.RecordHeaderError
		alert       tls.AlertError
		authority   x509.UnknownAuthorityError
		host        x509.HostnameError
		invalid     x509.CertificateInvalidError
	)
	return errors.As(err, &certificate) || errors.As(err, &header) || !reached && errors.As(err, &alert) ||
		errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

// isDial reports whether no connection could be made.
func isDial(err error) bool {
	failure, ok := errors.AsType[*net.OpError](err)
	return ok && failure.Op == "dial"
}
