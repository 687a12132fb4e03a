// Sends logs with winston-loki, in Protobuf, and pino-loki, in JSON, to the server whose address is the first argument.
import pino from "pino";
import { pinoLoki } from "pino-loki";
import winston from "winston";
import LokiTransport from "winston-loki";

const host = process.argv[2];
const basicAuth = { username: "savedq", password: process.env.SAVEDQ_TOKEN };
const loki = new LokiTransport({
  host,
  basicAuth: `${basicAuth.username}:${basicAuth.password}`,
  json: false,
  useWinstonMetaAsLabels: false,
  labels: { app: "postgres_logs", project: "acme" },
  format: winston.format.printf(({ message }) => message),
  onConnectionError: (error) => console.error("failed", error),
});
const logger = winston.createLogger({ transports: [loki] });
logger.warn("slow query");
await loki.flush();
logger.close();

const stream = pinoLoki({ host, basicAuth, batching: false, labels: { service_name: "function_logs" }, structuredMetaKey: "meta" });
pino(stream).error({ meta: { id: "p-1", project: "acme", region: "eu" } }, "broken");
stream.end();
