var e=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}},t=new e(`
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
    `),n=new e(`
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
    `);export{t as n,n as t};