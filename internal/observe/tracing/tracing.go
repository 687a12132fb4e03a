// Package tracing follows a request through the server, for OpenTelemetry: from
// HTTP through the saved query to the engine, within the trace of its caller.
package tracing

import (
	"context"
	"errors"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	api "go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// EndpointVariable is the environment variable with the address for traces. Without it
// there are no traces, and they cost nothing.
const EndpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT"

// Tracing creates the spans of a server.
type Tracing struct {
	provider api.TracerProvider
	tracer   api.Tracer
	// Close sends the spans that wait.
	Close func(ctx context.Context) error
}

// New returns a Tracing that exports spans over OTLP and HTTP, configured by the OTEL_
// variables. Without an endpoint it creates none.
func New(ctx context.Context, getenv func(string) string, version string) (*Tracing, error) {
	if getenv(EndpointVariable) == "" {
		return newTracing(noop.NewTracerProvider(), func(context.Context) error { return nil }), nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, errors.Join(errors.New(EndpointVariable+": traces cannot be sent there"), err)
	}
	described, err := resource.New(ctx, resource.WithAttributes(
		semconv.ServiceName("savedq"), semconv.ServiceVersion(version)), resource.WithFromEnv())
	if err != nil {
		return nil, err
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(described))
	return newTracing(provider, provider.Shutdown), nil
}

func newTracing(provider api.TracerProvider, end func(context.Context) error) *Tracing {
	return &Tracing{provider: provider, tracer: provider.Tracer("savedq"), Close: end}
}

// none reports whether tracing is off.
func (t *Tracing) none() bool {
	_, none := t.provider.(noop.TracerProvider)
	return none
}

// Handler creates a span for each request, in the caller's trace if the request has one.
func (t *Tracing) Handler(next http.Handler) http.Handler {
	if t.none() {
		return next
	}
	return otelhttp.NewHandler(next, "HTTP",
		otelhttp.WithTracerProvider(t.provider),
		otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method }))
}

// tracedRunner makes a span of each run of a saved query.
type tracedRunner struct {
	next   runner.QueryRunner
	tracer api.Tracer
}

// Runner returns a runner that creates spans for the runs of another one.
func (t *Tracing) Runner(next runner.QueryRunner) runner.QueryRunner {
	if t.none() {
		return next
	}
	return &tracedRunner{next, t.tracer}
}

// Run runs a saved query. Arguments are no part of the span: they can be secrets.
func (r *tracedRunner) Run(ctx context.Context, request runner.Request) (*runner.Response, error) {
	ctx, span := r.tracer.Start(ctx, "saved query")
	defer span.End()
	response, err := r.next.Run(ctx, request)
	if err != nil {
		fail(span, err)
		return nil, err
	}
	span.SetAttributes(attribute.String("savedq.endpoint", response.Query.Name),
		attribute.String("savedq.cache", string(response.Cache)), attribute.Int("savedq.rows", response.Result.RowCount()))
	return response, nil
}

// engine creates a span for each run of the engine.
type engine struct {
	sqlq.Engine
	tracer api.Tracer
}

// Engine returns an engine that creates spans for the runs of another one.
func (t *Tracing) Engine(next sqlq.Engine) sqlq.Engine {
	if t.none() {
		return next
	}
	return &engine{next, t.tracer}
}

// Run runs a statement.
func (e *engine) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	ctx, span := e.tracer.Start(ctx, "engine", api.WithSpanKind(api.SpanKindClient), api.WithAttributes(
		attribute.String("savedq.endpoint", statement.Query.Name), attribute.String("db.system.name", e.Dialect().Name())))
	defer span.End()
	result, err := e.Engine.Run(ctx, statement)
	if err != nil {
		fail(span, err)
		return nil, err
	}
	span.SetAttributes(attribute.Int("savedq.rows", result.RowCount()), attribute.Int64("savedq.bytes_processed", result.BytesProcessed))
	return result, nil
}

// fail notes the code of a span that failed. The message for callers is no part of the
// span, because it may quote an argument.
func fail(span api.Span, err error) {
	failure := sqlq.AsError(err)
	span.SetStatus(codes.Error, string(failure.Code))
	span.SetAttributes(attribute.String("error.type", string(failure.Code)))
}
