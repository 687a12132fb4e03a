// Package soak loads the real server for a while with twice what it can do, and
// looks whether it stays as it is: answers in time, memory flat, nothing in its log,
// an orderly end. It also kills loads and cuts off the log of the store, and looks
// whether every load is stored whole or not at all. It holds nothing but tests, which
// run where SOAK_SECONDS says for how many seconds each.
package soak
