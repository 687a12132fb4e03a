package auth

import (
	"net/http"
	"net/netip"
	"strings"

	"savedq/sqlq"
)

// NamesLoopback returns an error unless the Host header of a request names loopback: localhost, or an
// address of 127.0.0.0/8 or ::1, with any port.
//
// A server on loopback that requires no token needs this check. Otherwise a page of
// another site could point its own name at 127.0.0.1 and read every response, because the
// browser takes the server for that site (DNS rebinding).
func NamesLoopback(r *http.Request) error {
	if !isLoopbackHost(r.Host) {
		return sqlq.Errorf(sqlq.PermissionDenied, "the Host header does not name localhost or a loopback address, "+
			"which this address requires because it asks for no token; use http://localhost or http://127.0.0.1 with the port of the server")
	}
	return nil
}

// isLoopbackHost reports whether a Host header names loopback.
func isLoopbackHost(header string) bool {
	host, port := header, ""
	if colon := strings.LastIndexByte(header, ':'); colon > strings.LastIndexByte(header, ']') {
		host, port = header[:colon], header[colon+1:]
	}
	if strings.Trim(port, "0123456789") != "" {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	inner, bracketed := strings.CutPrefix(host, "[")
	if bracketed {
		inner, bracketed = strings.CutSuffix(inner, "]")
	}
	address, err := netip.ParseAddr(inner)
	return err == nil && address.Is6() == bracketed && address.Unmap().IsLoopback()
}
