//go:build unix

package worker

import (
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// Supported reports whether this system can pass connections to another process.
const Supported = true

// newPair returns both ends of a new connection. No process that is started meanwhile inherits them.
func newPair() (ends [2]*os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return ends, fmt.Errorf("make a connection: %w", err)
	}
	for i, descriptor := range pair {
		syscall.CloseOnExec(descriptor)
		ends[i] = os.NewFile(uintptr(descriptor), "connection")
	}
	return ends, nil
}

// connectionOf returns the connection of a file, which it closes.
func connectionOf(file *os.File) (*net.UnixConn, error) {
	defer func() { _ = file.Close() }()
	opened, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("use a connection: %w", err)
	}
	connection, ok := opened.(*net.UnixConn)
	if !ok {
		_ = opened.Close()
		return nil, fmt.Errorf("use a connection: it is of type %T", opened)
	}
	return connection, nil
}

// pass makes a new connection and passes one end of it through another connection.
func pass(through *net.UnixConn) (net.Conn, error) {
	ends, err := newPair()
	if err != nil {
		return nil, err
	}
	defer func() { _ = ends[1].Close() }()
	own, err := connectionOf(ends[0])
	if err != nil {
		return nil, err
	}
	if _, _, err := through.WriteMsgUnix([]byte{0}, syscall.UnixRights(int(ends[1].Fd())), nil); err != nil {
		_ = own.Close()
		return nil, fmt.Errorf("pass a connection: %w", err)
	}
	return own, nil
}

// listener accepts the connections that were passed. Its error is [io.EOF] when there will be no more.
type listener struct{ through *net.UnixConn }

// Accept returns the next connection.
func (l *listener) Accept() (net.Conn, error) {
	const descriptorBytes = 4
	content, rights := make([]byte, 1), make([]byte, syscall.CmsgSpace(descriptorBytes))
	count, size, _, _, err := l.through.ReadMsgUnix(content, rights)
	if err != nil || count == 0 {
		return nil, io.EOF
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:size])
	if err != nil || len(messages) != 1 {
		return nil, fmt.Errorf("accept a connection: %d messages: %w", len(messages), err)
	}
	descriptors, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(descriptors) != 1 {
		return nil, fmt.Errorf("accept a connection: %d descriptors: %w", len(descriptors), err)
	}
	syscall.CloseOnExec(descriptors[0])
	return connectionOf(os.NewFile(uintptr(descriptors[0]), "connection"))
}

// Close makes Accept fail.
func (l *listener) Close() error { return l.through.Close() }

// Addr returns the address, which has no name.
func (l *listener) Addr() net.Addr { return l.through.LocalAddr() }
