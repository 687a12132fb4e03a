// Package lint has only tests: what reads the Dockerfile, the alerts and the
// dashboard in earnest, BuildKit's frontend and Prometheus' parser, lints them. It is
// a module of its own, so that who builds savedq does not download either.
package lint
