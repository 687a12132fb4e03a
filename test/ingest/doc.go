// Package ingest tests the whole way of events, from a request of HTTP to the rows of the store.
// It has only tests.
package ingest
