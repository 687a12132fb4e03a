// Package soak loads the real server for a while with twice what it can do, and
// looks whether it stays as it is: answers in time, memory flat, nothing in its log,
// an orderly end. It holds nothing but a test, which runs where SOAK_SECONDS says for
// how many seconds.
package soak
