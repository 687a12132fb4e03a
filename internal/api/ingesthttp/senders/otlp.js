// Sends logs with the exporter of OpenTelemetry, in JSON, to the server whose address is the
// first argument.
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";

const exporter = new OTLPLogExporter({
  url: `${process.argv[2]}/v1/logs`,
  headers: { "X-API-KEY": process.env.SAVEDQ_TOKEN },
  compression: "gzip",
});
const provider = new LoggerProvider({
  resource: resourceFromAttributes({ "service.name": "shop", source: "function_logs", project: "acme" }),
  processors: [new BatchLogRecordProcessor({ exporter })],
});
const logger = provider.getLogger("checkout", "1.0.0");
logger.emit({
  timestamp: new Date("2026-11-22T09:00:00.123Z"),
  severityNumber: 9,
  severityText: "INFO",
  body: "paid",
  attributes: { "log.record.uid": "uid-1", amount: 7, items: ["a", "b"], nested: { deep: true } },
});
logger.emit({ body: { event: "refunded", amount: 7.5 } });
await provider.shutdown();
