// Package random tests the interfaces with random saved queries: whatever a folder declares,
// its field, its path in every format and its tool return the same rows, and programs of others can read its schema.
package random
