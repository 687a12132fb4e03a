// Package livetest holds tests that need a server as its users have it: the built
// program, serving the logs of examples/logs. They put the clients of examples
// through what the README beside each of them says.
package livetest
