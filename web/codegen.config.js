/**
 * Turns the documents of src/queries into typed ones, by the schema that a server
 * without saved queries of its own publishes at /schema.graphql. A test in internal/web
 * compares the file with it, and rewrites it with -update.
 *
 * @type {import('@graphql-codegen/cli').CodegenConfig}
 */
export default {
  schema: 'schema.graphql',
  documents: 'src/queries/*.graphql',
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        enumsAsTypes: true,
        strictScalars: true,
        useTypeImports: true,
        scalars: { Date: 'string', Int64: 'number', JSON: 'unknown', Time: 'string' },
      },
    },
  },
};
