// Reads a JSON list of schemas from the standard input, each with its SDL and the result of an
// introspection, and prints a JSON list with what graphql-js finds wrong with each, and with the
// SDL that it prints.
import { readFileSync } from "node:fs";
import {
  buildClientSchema,
  buildSchema,
  lexicographicSortSchema,
  printSchema,
  validateSchema,
} from "graphql";

const canonical = (schema) => printSchema(lexicographicSortSchema(schema));

const read = ({ sdl, introspection }) => {
  const schema = buildSchema(sdl);
  const found = validateSchema(schema).map(({ message }) => message);
  if (canonical(buildSchema(printSchema(schema))) !== canonical(schema)) {
    found.push("the printed schema is another one");
  }
  if (canonical(buildClientSchema(introspection)) !== canonical(schema)) {
    found.push("introspection returns another schema than the SDL");
  }
  return { found, printed: printSchema(schema) };
};

console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(read)));
