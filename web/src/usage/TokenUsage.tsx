import './load.css';
import { type ReactNode, useMemo, useState } from 'react';
import { useServices } from '../app/context';
import type { LoadState } from '../app/routes';
import { useResponse } from '../app/useResponse';
import { nextOrder, type RowOrder } from '../result/order';
import { requestRows } from '../result/rows';
import { type TimeBounds, TimePicker } from '../time/TimePicker';
import { CopyButton } from '../ui/CopyButton';
import { csvOf, type Exact } from '../ui/csv';
import { DataTable } from '../ui/DataTable';
import { CloseIcon } from '../ui/icons';
import { formatCount } from '../ui/numbers';
import { Segmented } from '../ui/Segmented';
import { Empty, FailurePanel, Skeleton } from '../ui/states';
import { type Group, groupOf, groups, namesOf, type UsageRow, usagePath } from './groups';
import { LoadChart } from './LoadChart';
import { boundsOf, daysBetween, measureOf, measures, narrowed, seriesOf, stackedBy } from './load';
import { columnsOf, costOrder, ordered, totalOf } from './tokenColumns';

const ranges = [
  { value: '1', label: 'Today' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
];

const noBounds: TimeBounds = { start: '', end: '' };

/** The most rows that are shown. The server returns up to 10,000. */
const mostShown = 200;

interface TokenUsageProps {
  state: LoadState;
  onChange: (state: LoadState) => void;
}

/** What each token used, of all projects, for tokens with full access: a chart by day beside a table. */
export function TokenUsage({ state, onChange }: TokenUsageProps) {
  const { client } = useServices();
  const group = groupOf(state.by);
  const { data, failure, busy, refresh } = useResponse({
    key: JSON.stringify(['token usage', { ...state, measure: '' }]),
    load: async (options) => {
      const bounds = boundsOf(state, new Date());
      const stacked = stackedBy(group);
      const [table, chart] = await Promise.all([
        requestRows(
          client,
          usagePath(
            group.columns.map(({ name }) => name),
            bounds,
            state,
          ),
          options,
        ),
        requestRows(client, usagePath(['day', ...(stacked === null ? [] : [stacked])], bounds, state), options),
      ]);
      return {
        group,
        stacked,
        rows: table.rows,
        byDay: chart.rows,
        days: daysBetween(bounds.from, bounds.to),
        truncated: [table, chart].some(({ headers }) => headers.has('X-Truncated')),
      };
    },
  });
  const measure = measureOf(state, data?.rows ?? []);
  const [start = '', end = ''] = state.days.split('/');
  const custom = state.days.includes('/');
  const counted = data?.rows.some((row) => Number(row.bytes ?? 0) > 0) === true;
  return (
    <div className="panel box sections">
      <div className="row" style={{ columnGap: 12 }}>
        <TimePicker
          label="Days in UTC"
          presets={ranges}
          value={custom ? '' : state.days || '7'}
          onChange={(days) => onChange({ ...state, days })}
          bounds={custom ? { start, end } : noBounds}
          custom={custom}
          days
          onApply={(bounds) => onChange({ ...state, days: `${bounds.start}/${bounds.end}` })}
        />
        <Segmented
          label="Group by"
          labelled
          choices={groups}
          value={group.value}
          onChange={(by) => onChange({ ...state, by })}
        />
        <Segmented
          label="Show"
          labelled
          choices={measures.filter(({ value }) => value !== 'bytes' || counted || measure === 'bytes')}
          value={measure}
          onChange={(chosen) => onChange({ ...state, measure: chosen })}
        />
        <Filter label="Token" value={state.token} onClear={() => onChange({ ...state, token: '', by: 'token' })} />
        <Filter
          label="Saved query"
          value={state.endpoint}
          onClear={() => onChange({ ...state, endpoint: '', by: 'endpoint' })}
        />
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
        <>
          {data.truncated ? (
            <p className="muted small" role="status">
              There is more usage than the server sends at once: the oldest days are missing. Choose fewer days.
            </p>
          ) : null}
          <div className="load" aria-busy={busy}>
            <StackedDays
              {...data}
              measure={measure}
              onSelect={(from, to) => onChange({ ...state, days: `${from.toISOString()}/${to.toISOString()}` })}
            />
            <UsageTable
              key={data.group.value}
              group={data.group}
              rows={data.rows}
              onChoose={(name) => {
                const next = narrowed({ ...state, by: data.group.value }, name);
                return next === null ? null : () => onChange(next);
              }}
            />
          </div>
        </>
      )}
    </div>
  );
}

/** What the usage is limited to, and a button that removes the limit. */
function Filter({ label, value, onClear }: { label: string; value: string; onClear: () => void }) {
  return value === '' ? null : (
    <button type="button" className="button load-filter" title={`Show all, not only ${value}`} onClick={onClear}>
      {label}: {value} <CloseIcon />
    </button>
  );
}

interface StackedDaysProps {
  byDay: readonly UsageRow[];
  stacked: 'token' | 'endpoint' | null;
  days: Date[];
  measure: ReturnType<typeof measureOf>;
  onSelect: (from: Date, to: Date) => void;
}

function StackedDays({ byDay, stacked, days, measure, onSelect }: StackedDaysProps) {
  const series = useMemo(() => seriesOf(byDay, stacked, measure, days), [byDay, stacked, measure, days]);
  return <LoadChart days={days} series={series} measure={measure} onSelect={onSelect} />;
}

interface UsageTableProps {
  group: Group;
  rows: readonly UsageRow[];
  /** What a click on a name does; null for nothing. */
  onChoose: (name: string) => (() => void) | null;
}

/** Usage with its total. What costs most is first; days are in their order. */
function UsageTable({ group, rows, onChoose }: UsageTableProps) {
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
  const heads = (names: string[]): ReactNode[] => {
    const [first = '', ...others] = names;
    const choose = onChoose(first);
    if (choose === null) return names;
    const button = (
      <button type="button" className="link" title={`Show only ${first}`} onClick={choose}>
        {first}
      </button>
    );
    return [button, ...others];
  };
  return (
    <div className="stack">
      <DataTable
        caption={`Usage by ${group.value}`}
        columns={[
          ...group.columns.map(({ name, title }) => headerOf(name, title, false)),
          ...columns.map(({ name, title }) => headerOf(name, title, true)),
        ]}
        rows={shown.map((row) => {
          const names = namesOf(group, row);
          return { key: JSON.stringify(names), cells: [...heads(names), ...columns.map(({ format }) => format(row))] };
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
    </div>
  );
}
