const config = {
  documentMode: 'string',
  enumsAsTypes: true,
  strictScalars: true,
  useTypeImports: true,
  scalars: { Date: 'string', Decimal: 'string', Int64: 'number', JSON: 'unknown', Time: 'string' },
};

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
    // Loaded when logs are first followed, so apart from the others.
    'src/logs/gql/': {
      documents: 'src/logs/*.graphql',
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config,
    },
    'src/gql/': {
      documents: 'src/queries/*.graphql',
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config,
    },
  },
};
