package cli

import "savedq/internal/http/httpserver"

// connectionFlags configure the limits of connections.
type connectionFlags struct {
	MaxConnections          int `default:"16384" min:"0" placeholder:"N" help:"How many connections are open at the same time; further ones are closed at once. 0 is no limit. Default: ${default}."`
	MaxConnectionsPerClient int `default:"512" min:"0" placeholder:"N" help:"How many of them one client may have: an IPv4 address, or a /64 network of IPv6. Loopback is not limited. Behind a proxy on another machine all callers are one client, so give 0, which is no limit. Default: ${default}."`
}

// connectionLimits returns the limits that the flags set.
func (f *connectionFlags) connectionLimits() httpserver.ConnectionLimits {
	return httpserver.ConnectionLimits{Total: f.MaxConnections, PerClient: f.MaxConnectionsPerClient}
}
