import { serverPath } from '../api/server';
import { useServices } from '../app/context';
import { type Loading, useResponse } from '../app/useResponse';
import type { Dialect } from './dialect';

/** What SQL of a dialect can name. */
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
  columns: readonly Column[];
  /** What senders usually set in metadata. There can be more. */
  members?: Members;
  /** About the space of its rows in files, and their number, where the server knows them. */
  size?: { bytes: number; rows: number };
}

export interface Column {
  name: string;
  type: string;
  description?: string;
  /** All values that it can have, if there are few. */
  values?: readonly string[];
}

export interface Members {
  readonly [name: string]: Members;
}

export interface SqlFunction {
  name: string;
  /** What is in parentheses of its own before the parameters. */
  constants?: string;
  params: string;
  result?: string;
  note?: string;
}

/** Requests what SQL of a dialect can name. */
export function useSchema({ name }: Dialect): Loading<Schema> {
  const { client } = useServices();
  return useResponse({
    key: `explore schema ${name}`,
    load: async (options) => {
      const response = await client.request(serverPath(`/api/explore/schema?dialect=${name}`), options);
      return (await response.json()) as Schema; // The server responds with this form.
    },
  });
}
