// Logs through pino and pino-logflare to the server whose address is the first argument.
import pino from "pino";

const transport = pino.transport({
  target: "pino-logflare",
  options: { apiBaseUrl: process.argv[2], apiKey: process.env.SAVEDQ_TOKEN, sourceName: "deno-subhosting-events", debug: true },
});
const logger = pino(transport);
logger.info({ project_ref: "acme" }, "started");
logger.error(new Error("broken"));
transport.end();
