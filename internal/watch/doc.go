// Package watch notices changes in directories and the folders in them. It notices them
// however they are made: files that are written, renamed or replaced, folders that appear,
// and symbolic links that are pointed elsewhere, as Kubernetes updates its volumes.
package watch
