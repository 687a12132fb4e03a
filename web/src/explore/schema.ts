/** What SQL can name. */
export interface Schema {
  tables: readonly Table[];
  functions: readonly SqlFunction[];
  /** Tables that the token may not read. */
  withheld: readonly string[];
  /** Parameters that the token binds, which limit all rows. */
  parameters: readonly string[];
  maxRows: number;
  /** Names of dialects that the token may send. */
  dialects: readonly string[];
  /** Whether the server writes the folders of new saved queries. */
  saves: boolean;
}

export interface Table {
  name: string;
  description: string;
  columns: readonly { name: string; type: string; description?: string }[];
  /** What senders usually set in metadata. There can be more. */
  members?: Members;
}

export interface Members {
  readonly [name: string]: Members;
}

export interface SqlFunction {
  name: string;
  params: string;
  result?: string;
  note?: string;
}

/** The schema in the response of the server. */
export async function schemaOf(response: Response): Promise<Schema> {
  return (await response.json()) as Schema; // The server responds with this form.
}
