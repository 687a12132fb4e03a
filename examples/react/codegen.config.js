import { addTypenameSelectionDocumentTransform } from '@graphql-codegen/client-preset';

export default {
  schema: 'schema.graphql',
  documents: 'src/**/*.{ts,tsx}',
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: { persistedDocuments: true },
      documentTransforms: [addTypenameSelectionDocumentTransform],
      config: {
        enumsAsTypes: true,
        useTypeImports: true,
        scalars: { Date: 'string', Decimal: 'string', Int64: 'number', JSON: 'unknown', Time: 'string' },
      },
    },
  },
};
