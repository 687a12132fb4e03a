/* eslint-disable */
import * as types from './graphql';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "query Endpoints {\n  endpoints {\n    id\n    name\n    aliases\n    field\n    description\n    deprecated\n    language\n    sql\n    parameters {\n      name\n      argument\n      type\n      description\n      required\n      default\n      defaults\n      allowed\n      values\n      fallback\n      pattern\n      format\n      maxLength\n      min\n      max\n      maxItems\n      scope\n      deprecated\n    }\n    columns {\n      name\n      field\n      type\n      nullable\n      description\n      deprecated\n      fields {\n        name\n        field\n        type\n        nullable\n        description\n        deprecated\n        fields {\n          name\n          field\n          type\n          nullable\n          description\n          deprecated\n          fields {\n            name\n            field\n            type\n            nullable\n            description\n            deprecated\n            fields {\n              name\n              field\n              type\n              nullable\n              description\n              deprecated\n            }\n          }\n        }\n      }\n    }\n    maxRows\n    cacheSeconds\n    warmSeconds\n    sandboxed\n  }\n}\n\nquery Catalog {\n  catalog {\n    loadedAt\n    mistakes {\n      file\n      line\n      column\n      message\n    }\n  }\n}": typeof types.EndpointsDocument,
};
const documents: Documents = {
    "query Endpoints {\n  endpoints {\n    id\n    name\n    aliases\n    field\n    description\n    deprecated\n    language\n    sql\n    parameters {\n      name\n      argument\n      type\n      description\n      required\n      default\n      defaults\n      allowed\n      values\n      fallback\n      pattern\n      format\n      maxLength\n      min\n      max\n      maxItems\n      scope\n      deprecated\n    }\n    columns {\n      name\n      field\n      type\n      nullable\n      description\n      deprecated\n      fields {\n        name\n        field\n        type\n        nullable\n        description\n        deprecated\n        fields {\n          name\n          field\n          type\n          nullable\n          description\n          deprecated\n          fields {\n            name\n            field\n            type\n            nullable\n            description\n            deprecated\n            fields {\n              name\n              field\n              type\n              nullable\n              description\n              deprecated\n            }\n          }\n        }\n      }\n    }\n    maxRows\n    cacheSeconds\n    warmSeconds\n    sandboxed\n  }\n}\n\nquery Catalog {\n  catalog {\n    loadedAt\n    mistakes {\n      file\n      line\n      column\n      message\n    }\n  }\n}": types.EndpointsDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Endpoints {\n  endpoints {\n    id\n    name\n    aliases\n    field\n    description\n    deprecated\n    language\n    sql\n    parameters {\n      name\n      argument\n      type\n      description\n      required\n      default\n      defaults\n      allowed\n      values\n      fallback\n      pattern\n      format\n      maxLength\n      min\n      max\n      maxItems\n      scope\n      deprecated\n    }\n    columns {\n      name\n      field\n      type\n      nullable\n      description\n      deprecated\n      fields {\n        name\n        field\n        type\n        nullable\n        description\n        deprecated\n        fields {\n          name\n          field\n          type\n          nullable\n          description\n          deprecated\n          fields {\n            name\n            field\n            type\n            nullable\n            description\n            deprecated\n            fields {\n              name\n              field\n              type\n              nullable\n              description\n              deprecated\n            }\n          }\n        }\n      }\n    }\n    maxRows\n    cacheSeconds\n    warmSeconds\n    sandboxed\n  }\n}\n\nquery Catalog {\n  catalog {\n    loadedAt\n    mistakes {\n      file\n      line\n      column\n      message\n    }\n  }\n}"): typeof import('./graphql').EndpointsDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
