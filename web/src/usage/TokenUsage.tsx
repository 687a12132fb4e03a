import { useState } from 'react';
import { useServices } from '../app/context';
import { useResponse } from '../app/useResponse';
import { nextOrder, type RowOrder } from '../result/order';
import { requestRows } from '../result/rows';
import { type TimeBounds, TimePicker } from '../time/TimePicker';
import { CopyButton } from '../ui/CopyButton';
import { csvOf, type Exact } from '../ui/csv';
import { DataTable } from '../ui/DataTable';
import { formatCount } from '../ui/numbers';
import { Segmented } from '../ui/Segmented';
import { Empty, FailurePanel, Skeleton } from '../ui/states';
import { type Group, groupOf, groups, namesOf, rangePath, type UsageRow, usagePath } from './groups';
import { columnsOf, costOrder, ordered, totalOf } from './tokenColumns';

const ranges = [
  { value: '1', label: 'Today' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
];

const noBounds: TimeBounds = { start: '', end: '' };

/** The most rows that are shown. The server returns up to 10,000. */
const mostShown = 200;

/** What each token used, of all projects, for tokens with full access. */
export function TokenUsage() {
  const { client } = useServices();
  const [days, setDays] = useState('7');
  const [bounds, setBounds] = useState<TimeBounds | null>(null);
  const [value, setValue] = useState('token');
  const group = groupOf(value);
  const { data, failure, busy, refresh } = useResponse({
    key: JSON.stringify(['token usage', days, bounds, value]),
    load: async (options) => {
      const path =
        bounds === null ? usagePath(group, Number(days), new Date()) : rangePath(group, bounds.start, bounds.end);
      return { group, rows: (await requestRows(client, path, options)).rows };
    },
  });
  return (
    <div className="panel box sections">
      <div className="row" style={{ columnGap: 12 }}>
        <TimePicker
          label="Days in UTC"
          presets={ranges}
          value={bounds === null ? days : ''}
          onChange={(chosen) => {
            setDays(chosen);
            setBounds(null);
          }}
          bounds={bounds ?? noBounds}
          custom={bounds !== null}
          days
          onApply={setBounds}
        />
        <Segmented label="Group by" labelled choices={groups} value={value} onChange={setValue} />
      </div>
      {failure !== null && data === null ? (
        <FailurePanel failure={failure} busy={busy} onRetry={() => refresh()} />
      ) : data === null ? (
        <Skeleton label="Loading usage" height="rows" />
      ) : data.rows.length === 0 ? (
        <Empty title="No requests">
          <p>No token has requested a saved query in this time range.</p>
        </Empty>
      ) : (
        <UsageTable key={data.group.value} group={data.group} rows={data.rows} />
      )}
    </div>
  );
}

/** Usage with its total. What costs most is first; days are in their order. */
function UsageTable({ group, rows }: { group: Group; rows: readonly UsageRow[] }) {
  const total = totalOf(rows);
  const [chosen, setOrder] = useState<RowOrder>(null);
  const order = chosen ?? (group.value === 'day' ? null : costOrder(total));
  const sorted = ordered(rows, order);
  const shown = sorted.slice(0, mostShown);
  const columns = columnsOf(total);
  const headerOf = (name: string, title: string, numeric: boolean) => ({
    name: title,
    numeric,
    onSort: () => setOrder(nextOrder(order, name, numeric)),
    order: order?.column !== name ? undefined : order.descending ? ('descending' as const) : ('ascending' as const),
  });
  const csv = (): string =>
    csvOf(
      [...group.columns, ...columns].map(({ title }) => title),
      sorted.map((row) => [...group.columns, ...columns].map(({ name }) => row[name] as Exact)),
    );
  return (
    <>
      <DataTable
        caption={`Usage by ${group.value}`}
        columns={[
          ...group.columns.map(({ name, title }) => headerOf(name, title, false)),
          ...columns.map(({ name, title }) => headerOf(name, title, true)),
        ]}
        rows={shown.map((row) => {
          const names = namesOf(group, row);
          return { key: JSON.stringify(names), cells: [...names, ...columns.map(({ format }) => format(row))] };
        })}
        total={['Total', ...group.columns.slice(1).map(() => ''), ...columns.map(({ format }) => format(total))]}
      />
      <div className="row">
        <CopyButton label="Copy CSV" text={csv} />
        {shown.length === rows.length ? null : (
          <p className="muted small">
            The first {formatCount(shown.length)} of {formatCount(rows.length)} in this order. The total and the CSV
            have all.
          </p>
        )}
      </div>
    </>
  );
}
