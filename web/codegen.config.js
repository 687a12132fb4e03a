/**
 * Turns the documents of src/queries into typed ones, by the schema that the
 * server publishes at /schema.graphql.
 *
 * @type {import('@graphql-codegen/cli').CodegenConfig}
 */
export default {
  schema: '../graph/schema/*.graphqls',
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
        scalars: { JSON: 'unknown', Time: 'string' },
      },
    },
  },
};
