import { env } from 'node:process';

/**
 * Turns the documents of src/*.graphql into typed ones, by the schema that the
 * server publishes.
 *
 * @type {import('@graphql-codegen/cli').CodegenConfig}
 */
export default {
  schema: {
    [`${env.SAVEDQ_URL ?? 'http://127.0.0.1:8080'}/schema.graphql`]: { headers: { 'X-API-KEY': env.SAVEDQ_TOKEN ?? '' } },
  },
  documents: 'src/*.graphql',
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        enumsAsTypes: true,
        strictScalars: true,
        useTypeImports: true,
        scalars: { Date: 'string', Decimal: 'string', Int64: 'number', JSON: 'unknown', Time: 'string' },
        emitLegacyCommonJSImports: false,
      },
    },
  },
};
