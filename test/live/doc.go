// Package live has only tests of the installed program, as its users run it. They run the
// commands of the documents and of the README of each example, and put the proxies of the
// operator's guide in front of a server.
package live
