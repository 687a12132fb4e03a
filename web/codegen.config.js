const config = {
  documentMode: 'string',
  enumsAsTypes: true,
  strictScalars: true,
  useTypeImports: true,
  scalars: { Date: 'string', Decimal: 'string', Int64: 'number', JSON: 'unknown', Time: 'string' },
};

/** Generates typed documents. */
const client = (documents) => ({ documents, preset: 'client', presetConfig: { fragmentMasking: false }, config });

/**
 * Turns the documents of src/queries into typed ones, by the schema that a server
 * without saved queries of its own publishes at /schema.graphql. A test in internal/web
 * compares the file with it, and rewrites it with -update.
 *
 * @type {import('@graphql-codegen/cli').CodegenConfig}
 */
export default {
  schema: 'schema.graphql',
  generates: {
    // Loaded with their pages, so apart from the others.
    ...Object.fromEntries(
      ['endpoints', 'logs', 'usage'].map((page) => [`src/${page}/gql/`, client(`src/${page}/*.graphql`)]),
    ),
    'src/gql/': client('src/queries/*.graphql'),
  },
};
