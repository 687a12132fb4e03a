import { useState } from 'react';
import { useServices } from '../app/context';
import { useResponse } from '../app/useResponse';
import { DataTable } from '../ui/DataTable';
import { formatBytes, formatCount, formatShare } from '../ui/numbers';
import { Segmented } from '../ui/Segmented';
import { Empty, FailurePanel, Skeleton } from '../ui/states';
import { groupOf, groups, namesOf, shownRows, type UsageRow, usagePath } from './groups';

const ranges = [
  { value: '1', label: 'Today' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
];

const figures = ['Requests', 'Cache hits', 'Errors', 'Rows', 'Engine runs', 'Bytes billed', 'Engine time'];

/** What each token used, of all projects, for tokens with full access. */
export function TokenUsage() {
  const { client } = useServices();
  const [days, setDays] = useState('7');
  const [value, setValue] = useState('token');
  const group = groupOf(value);
  const { data, failure, busy, refresh } = useResponse({
    key: `token usage ${days} ${value}`,
    load: async (options) => {
      const { rows } = await client.run(usagePath(group, Number(days), new Date()), options);
      return { group, shown: shownRows(group, rows), count: rows.length };
    },
  });
  return (
    <>
      <div className="controls row">
        <Segmented label="Days" choices={ranges} value={days} onChange={setDays} />
        <Segmented label="Group by" choices={groups} value={value} onChange={setValue} />
      </div>
      {failure !== null && data === null ? (
        <FailurePanel failure={failure} busy={busy} onRetry={() => refresh()} />
      ) : data === null ? (
        <Skeleton label="Loading usage" height="rows" />
      ) : data.count === 0 ? (
        <Empty title="No requests">
          <p>No token has requested a saved query in this time range.</p>
        </Empty>
      ) : (
        <>
          <DataTable
            caption={`Usage by ${data.group.value}`}
            columns={[
              ...data.group.columns.map(({ title }) => ({ name: title })),
              ...figures.map((name) => ({ name, numeric: true })),
            ]}
            rows={data.shown.map((row) => rowOf(row, namesOf(data.group, row)))}
          />
          {data.shown.length < data.count ? (
            <p className="muted">
              The {formatCount(data.shown.length)} with the most requests of {formatCount(data.count)}. GET /api/usage
              returns more.
            </p>
          ) : null}
        </>
      )}
    </>
  );
}

function rowOf(row: UsageRow, names: string[]) {
  const count = (column: string): number => Number(row[column]);
  return {
    key: JSON.stringify(names),
    cells: [
      ...names,
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
