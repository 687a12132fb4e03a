import { describe, expect, test } from 'vitest';
import { readEndpoints, readExplore, writeEndpoints, writeExplore } from '../endpoints/address';
import { readLogs } from '../logs/address';
import { pageAt, read, write } from './routes';

function params(address: string): URLSearchParams {
  return new URL(address, 'http://server').searchParams;
}

describe('addresses', () => {
  test('leave out defaults', () => {
    expect(write.functions(read.functions(params('/'), 'acme'))).toBe('/?project=acme&interval=1day');
    expect(write.usage(read.usage(params('/usage'), 'acme'))).toBe('/usage?project=acme&interval=daily');
    expect(write.logs(readLogs(params('/logs'), 'acme', 'PRO'))).toBe('/logs?project=acme&range=1d');
    expect(writeEndpoints(readEndpoints(params('/endpoints'), ''))).toBe('/endpoints');
  });

  test.each([
    '/?project=acme&function=f-1&interval=5min&view=table&scale=log&sort=-errors',
    '/usage?project=a%5C.b&interval=hourly&view=table',
    '/logs?project=acme&tier=PRO&range=custom&start=2026-11-20+09%3A00&end=2026-11-20T10%3A00%2B01%3A00&q=404+x',
    '/logs?project=acme&tier=PAYG&range=6h',
    '/logs?project=acme&tier=FREE&range=1d&q=time+out+status%3A5xx&entry=edge_logs%3Ae1',
    '/logs?project=acme&tier=FREE&range=all&q=404+source%3Aauth_logs&live=1',
    '/explore?project=acme&view=chart&shape=areas&arrangement=stacked&sort=-n&sql=SELECT+%40a%0AFROM+b&arg.a=1',
    '/endpoints?project=acme&name=logs.all&arg.project=acme&arg.project_tier=PRO',
    '/endpoints?project=acme&name=mine.top&view=chart&arg.path=%2Fa&arg.path=&arg.path=%2Fb&arg.project=',
  ])('%s is read as it was written', (address) => {
    const page = pageAt(new URL(address, 'http://server').pathname);
    const at = params(address);
    const written: { [page: string]: () => string } = {
      functions: () => write.functions(read.functions(at, '')),
      usage: () => write.usage(read.usage(at, '')),
      logs: () => write.logs(readLogs(at, '', 'ENTERPRISE')),
      endpoints: () => writeEndpoints(readEndpoints(at, '')),
      explore: () => writeExplore(readExplore(at, '')),
    };
    expect(written[page ?? '']?.()).toBe(address);
  });

  test('what cannot be read is the default', () => {
    const state = read.functions(params('/?project=acme&interval=2day&view=pie&scale=odd'), '');
    expect(state).toEqual({
      project: 'acme',
      functionId: '',
      interval: 'ONE_DAY',
      view: 'chart',
      scale: 'linear',
      sort: '',
    });
    expect(read.usage(params('/usage?interval=DAILY'), 'p').interval).toBe('DAILY');
    expect(readLogs(params('/logs?tier=pro&range=1w'), 'p', 'PRO')).toMatchObject({ tier: 'PRO', range: 'all' });
    expect(readLogs(params('/logs?range=1w'), 'p', 'PRO')).toMatchObject({ range: '1d' });
  });

  test('the bounds of a custom range are dropped with it', () => {
    const state = readLogs(params('/logs?range=1h&start=2026-11-20'), 'p', 'FREE');
    expect(write.logs(state)).toBe('/logs?project=p&range=1h');
  });

  test('the bar takes the filters of earlier addresses', () => {
    const at = params('/logs?project=p&range=1h&text=a+b&status=5xx&method=GET&path=/a&source=edge_logs&filter=c');
    expect(readLogs(at, '', 'FREE').query).toBe('"a b" "c" source:"edge_logs" status:"5xx" method:"GET" path:"/a"');
    expect(readLogs(params('/logs?project=p&q=x&text=y'), '', 'FREE').query).toBe('x');
  });

  test('a page may have slashes at its end', () => {
    expect(pageAt('/usage/')).toBe('usage');
    expect(pageAt('')).toBe('functions');
  });

  test('other paths have no page', () => {
    expect(pageAt('/usage/logs')).toBeNull();
    expect(pageAt('/functions')).toBeNull();
  });
});
