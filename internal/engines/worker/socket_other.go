//go:build !unix

package worker

import (
	"errors"
	"net"
	"os"
)

// Supported reports whether this system can pass connections to another process.
const Supported = false

var errUnsupported = errors.New("this system cannot pass connections to another process")

func newPair() (ends [2]*os.File, err error) { return ends, errUnsupported }

func connectionOf(*os.File) (*net.UnixConn, error) { return nil, errUnsupported }

func pass(*net.UnixConn) (net.Conn, error) { return nil, errUnsupported }

type listener struct{ net.Listener }
