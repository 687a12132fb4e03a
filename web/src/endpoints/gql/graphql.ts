/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type EndpointsQueryVariables = Exact<{ [key: string]: never; }>;


export type EndpointsQuery = { endpoints: Array<{ id: string, name: string, aliases: Array<string>, field: string, description: string, deprecated: string | null, language: string, sql: string, maxRows: number, cacheSeconds: number | null, warmSeconds: number | null, sandboxed: boolean, parameters: Array<{ name: string, argument: string, type: string, description: string, required: boolean, default: string | null, defaults: Array<string>, allowed: Array<string>, values: Array<string>, fallback: string | null, pattern: string | null, format: string | null, maxLength: number | null, min: string | null, max: string | null, maxItems: number | null, scope: string | null, deprecated: string | null }>, columns: Array<{ name: string, field: string, type: string, nullable: boolean, description: string, deprecated: string | null, fields: Array<{ name: string, field: string, type: string, nullable: boolean, description: string, deprecated: string | null, fields: Array<{ name: string, field: string, type: string, nullable: boolean, description: string, deprecated: string | null, fields: Array<{ name: string, field: string, type: string, nullable: boolean, description: string, deprecated: string | null, fields: Array<{ name: string, field: string, type: string, nullable: boolean, description: string, deprecated: string | null }> }> }> }> }> }> };

export type CatalogQueryVariables = Exact<{ [key: string]: never; }>;


export type CatalogQuery = { catalog: { loadedAt: string, mistakes: Array<{ file: string, line: number | null, column: number | null, message: string }> } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const EndpointsDocument = new TypedDocumentString(`
    query Endpoints {
  endpoints {
    id
    name
    aliases
    field
    description
    deprecated
    language
    sql
    parameters {
      name
      argument
      type
      description
      required
      default
      defaults
      allowed
      values
      fallback
      pattern
      format
      maxLength
      min
      max
      maxItems
      scope
      deprecated
    }
    columns {
      name
      field
      type
      nullable
      description
      deprecated
      fields {
        name
        field
        type
        nullable
        description
        deprecated
        fields {
          name
          field
          type
          nullable
          description
          deprecated
          fields {
            name
            field
            type
            nullable
            description
            deprecated
            fields {
              name
              field
              type
              nullable
              description
              deprecated
            }
          }
        }
      }
    }
    maxRows
    cacheSeconds
    warmSeconds
    sandboxed
  }
}
    `) as unknown as TypedDocumentString<EndpointsQuery, EndpointsQueryVariables>;
export const CatalogDocument = new TypedDocumentString(`
    query Catalog {
  catalog {
    loadedAt
    mistakes {
      file
      line
      column
      message
    }
  }
}
    `) as unknown as TypedDocumentString<CatalogQuery, CatalogQueryVariables>;