// Package random tests the interfaces with random saved queries: whatever a folder declares,
// its field and its path return the same rows, and tools of others can read its schema.
package random
