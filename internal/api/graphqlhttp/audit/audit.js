// Holds a GraphQL endpoint, whose address is the argument, against the audits of
// GraphQL over HTTP, and prints a JSON list of their results.
import { auditServer } from "graphql-http";

const results = await auditServer({ url: process.argv[2] });
console.log(JSON.stringify(results.map(({ id, name, status, reason = "" }) => ({ id, name, status, reason }))));
