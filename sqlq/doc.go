// Package sqlq is the core of savedq: what a saved query is, how a folder of them
// is read, and the one way to run one. It knows no transport and no engine;
// those are built around it.
package sqlq
