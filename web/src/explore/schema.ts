/** What SQL can name. */
export interface Schema {
  tables: readonly Table[];
  functions: readonly SqlFunction[];
  /** Tables that the token may not read. */
  withheld: readonly string[];
  /** Parameters that the token binds, which limit all rows. */
  parameters: readonly string[];
  maxRows: number;
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

/** SQL to begin with: how many events a table had in each minute of the last hour. */
export function exampleFor(table: string): string {
  return `SELECT
  TIMESTAMP_TRUNC(timestamp, MINUTE) AS minute,
  COUNT(*) AS events
FROM ${table}
WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)
GROUP BY minute
ORDER BY minute`;
}
