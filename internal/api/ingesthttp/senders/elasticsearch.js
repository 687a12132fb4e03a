// Sends logs with pino-elasticsearch, which uses Elastic's client, to the server whose address is the first argument.
import pino from "pino";
import pinoElastic from "pino-elasticsearch";

const stream = pinoElastic({
  node: `${process.argv[2]}/elasticsearch`,
  auth: { apiKey: process.env.SAVEDQ_TOKEN },
  index: "function_logs-%{DATE}",
  esVersion: 8,
  opType: "create",
});
for (const event of ["error", "insertError", "unknown"]) {
  stream.on(event, (error) => console.error("failed", error));
}
stream.on("insert", ({ successful }) => console.log(successful, "documents are stored"));
const logger = pino({ timestamp: pino.stdTimeFunctions.isoTime }, stream);
logger.info({ project: "acme", amount: 7 }, "paid");
logger.error(new Error("broken"));
stream.end();
