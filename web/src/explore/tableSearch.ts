import type { Members, Table } from './schema';

/** A table with the columns and members that match a filter. */
export interface FoundTable {
  table: Table;
  columns: Table['columns'];
  members: Members | undefined;
}

/** The tables whose name, columns or members contain a text, in any case. A table that matches by its name has all columns. */
export function searchTables(tables: readonly Table[], search: string): FoundTable[] {
  const wanted = search.trim().toLowerCase();
  return tables.flatMap((table): FoundTable[] => {
    if (wanted === '' || table.name.includes(wanted)) {
      return [{ table, columns: table.columns, members: table.members }];
    }
    const columns = table.columns.filter(({ name }) => name.toLowerCase().includes(wanted));
    const members = membersWith(table.members ?? {}, wanted);
    return columns.length === 0 && members === undefined ? [] : [{ table, columns, members }];
  });
}

function membersWith(members: Members, wanted: string): Members | undefined {
  const found = Object.entries(members).flatMap(([name, inner]): [string, Members][] => {
    if (name.toLowerCase().includes(wanted)) return [[name, inner]];
    const within = membersWith(inner, wanted);
    return within === undefined ? [] : [[name, within]];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
