import { useState } from 'react';
import type { Json } from '../api/json';
import { useServices } from '../app/context';
import { useResponse } from '../app/useResponse';
import { DataTable } from '../ui/DataTable';
import { formatBytes, formatCount, formatShare } from '../ui/numbers';
import { Segmented } from '../ui/Segmented';
import { Empty, FailurePanel, Skeleton } from '../ui/states';

const ranges = [
  { value: '1', label: 'Today' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
];

const groups = [
  { value: 'token', label: 'By token' },
  { value: 'endpoint', label: 'By endpoint' },
  { value: 'day', label: 'By day' },
];

const columnsOf = (group: string) => [
  { name: group },
  ...['Requests', 'Cache hits', 'Errors', 'Rows', 'Engine runs', 'Bytes billed', 'Engine time'].map((name) => ({
    name,
    numeric: true,
  })),
];

/** What each token used, of all projects, for tokens with full access. */
export function TokenUsage() {
  const { client } = useServices();
  const [days, setDays] = useState('7');
  const [group, setGroup] = useState('token');
  const { data, failure, busy, refresh } = useResponse({
    key: `token usage ${days} ${group}`,
    load: async (options) => (await client.run(path(group, Number(days), new Date()), options)).rows,
  });
  return (
    <>
      <div className="controls row">
        <Segmented label="Days" choices={ranges} value={days} onChange={setDays} />
        <Segmented label="Group by" choices={groups} value={group} onChange={setGroup} />
      </div>
      {failure !== null && data === null ? (
        <FailurePanel failure={failure} busy={busy} onRetry={() => refresh()} />
      ) : data === null ? (
        <Skeleton label="Loading usage" height="rows" />
      ) : data.length === 0 ? (
        <Empty title="No requests">
          <p>No token has requested a saved query in this time range.</p>
        </Empty>
      ) : (
        <DataTable
          caption={`Usage by ${group}`}
          columns={columnsOf(titleOf(group))}
          rows={data.map((row) => rowOf(row, String(row[group])))}
        />
      )}
    </>
  );
}

/** The name of a dimension as the title of a column. */
function titleOf(group: string): string {
  return `${group.charAt(0).toUpperCase()}${group.slice(1)}`;
}

/** The path of the usage of so many days in UTC, today included. */
function path(group: string, days: number, now: Date): string {
  const first = new Date(now.getTime() - (days - 1) * 24 * 3600 * 1000);
  return `/api/usage?by=${group}&from=${first.toISOString().slice(0, 10)}`;
}

function rowOf(row: { [column: string]: Json }, key: string) {
  const count = (column: string): number => Number(row[column]);
  return {
    key,
    cells: [
      key,
      formatCount(count('requests')),
      formatShare(count('hits'), count('requests')),
      formatCount(count('errors')),
      formatCount(count('rows')),
      formatCount(count('runs')),
      formatBytes(count('bytes')),
      `${count('engine_seconds').toFixed(1)} s`,
    ],
  };
}
