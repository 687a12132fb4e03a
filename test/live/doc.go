// Package live has only tests: of the server as its users have it, the installed
// program, which they start, ask and end. They do what the documents say, put the
// clients of examples through what the README beside each of them says, and stand the
// proxies of the operator's guide in front of it.
package live
