// Package sqlq is the core of savedq: what a saved query is, how parameters are bound, what
// results and errors are, and what an engine must do. It knows no transport and no engine.
//
// The packages below it build on it: catalog reads folders of saved queries, runner runs
// them, cache stores their results, and each engine has a package of its own.
package sqlq
