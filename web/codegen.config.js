/**
 * Turns the documents of src/queries into typed ones, by the schema that a server
 * without saved queries of its own publishes at /schema.graphql: the static fields, and
 * those of the shipped saved queries.
 *
 * @type {import('@graphql-codegen/cli').CodegenConfig}
 */
export default {
  schema: ['../graph/schema/*.graphqls', '../graph/graphtest/schema/*.graphqls'],
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
