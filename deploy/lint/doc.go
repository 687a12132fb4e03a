// Package lint has only tests. They lint the Dockerfile, the alerts and the dashboard with the
// parsers that read them in production: BuildKit's frontend and Prometheus' parser. It is a
// module of its own, so that building savedq downloads neither.
package lint
