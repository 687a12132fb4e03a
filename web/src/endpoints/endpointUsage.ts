import { serverPath } from '../api/server';
import { useServices } from '../app/context';
import { useResponse } from '../app/useResponse';
import { useViewer } from '../app/viewer';
import { requestRows } from '../result/rows';
import { formatMilliseconds } from '../ui/numbers';

/** What all tokens used a saved query for, in the last days. */
export interface EndpointUsage {
  /** The latest day with a request, in UTC. */
  lastDay: string;
  runs: number;
  /** How long its runs took in all. */
  engineSeconds: number;
}

/** The use of each saved query by its name; null until known, and for tokens that may not read it. */
export function useEndpointUsage(): ReadonlyMap<string, EndpointUsage> | null {
  const { client } = useServices();
  const { data } = useResponse({
    key: 'endpoint usage',
    enabled: useViewer().usage,
    load: async (options) =>
      usageOf((await requestRows(client, serverPath('/api/usage?by=day,endpoint'), options)).rows),
  });
  return data;
}

/** Adds the rows of the days up. */
export function usageOf(rows: readonly { [column: string]: unknown }[]): Map<string, EndpointUsage> {
  const usage = new Map<string, EndpointUsage>();
  for (const row of rows) {
    const name = String(row.endpoint);
    const before = usage.get(name) ?? { lastDay: '', runs: 0, engineSeconds: 0 };
    const day = String(row.day);
    usage.set(name, {
      lastDay: day > before.lastDay ? day : before.lastDay,
      runs: before.runs + Number(row.runs),
      engineSeconds: before.engineSeconds + Number(row.engine_seconds),
    });
  }
  return usage;
}

/** When a saved query was requested last and how long a run takes, such as "today · 12 ms a run". */
export function describeUsage(usage: EndpointUsage | undefined, today: string): string {
  if (usage === undefined) return 'not used in 30 days';
  const day = usage.lastDay === today ? 'used today' : `used ${usage.lastDay}`;
  if (usage.runs === 0) return day;
  return `${day} · ${formatMilliseconds((usage.engineSeconds * 1000) / usage.runs)} a run`;
}
