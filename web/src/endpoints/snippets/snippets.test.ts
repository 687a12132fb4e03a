import { describe, expect, test } from 'vitest';
import { columnOf, endpointOf, parameterOf } from '../endpoint.fixture';
import { withExamples } from '../example';
import { apolloSnippet, duckdbSnippet, pythonSnippet, urqlSnippet } from './clients';
import { tokeniseCode } from './colours';
import { curlSnippet } from './curl';
import { goSnippet } from './go';
import { graphqlSnippet } from './graphql';
import { typescriptSnippet } from './typescript';

const place = [columnOf('city', 'STRING', { nullable: false }), columnOf('seen_at', 'TIMESTAMP', { field: 'seenAt' })];
const endpoint = endpointOf(
  [
    parameterOf({ name: 'project', required: true }),
    parameterOf({ name: 'interval', allowed: ['5min', '1hr'], values: ['FIVE_MINUTES', 'ONE_HOUR'], fallback: '1hr' }),
    parameterOf({ name: 'paths', type: 'ARRAY<STRING>', argument: 'onPaths' }),
    parameterOf({ name: 'most', type: 'INT64' }),
  ],
  [
    columnOf('timestamp', 'TIMESTAMP', { nullable: false }),
    columnOf('time-out', 'FLOAT64', { field: 'timeOut' }),
    columnOf('labels', 'ARRAY<STRING>', { nullable: false }),
    columnOf('place', 'STRUCT', { fields: place }),
    columnOf('stops', 'ARRAY<STRUCT>', { fields: place, nullable: false }),
    columnOf('metadata', 'JSON'),
  ],
);
const server = { origin: 'http://127.0.0.1:8080', authenticated: false };
const guarded = { ...server, authenticated: true };
const args = { project: ["o'neil & co"], interval: ['5min'], paths: ['/a', '/b'] };

test('a required argument that is missing has an example', () => {
  const required = (part: Parameters<typeof parameterOf>[0]) => parameterOf({ ...part, required: true });
  const other = endpointOf(
    [
      required({ name: 'project' }),
      required({ name: 'kind', allowed: ['a', 'b'] }),
      required({ name: 'days', type: 'ARRAY<DATE>' }),
      required({ name: 'most', type: 'INT64', min: '3' }),
      parameterOf({ name: 'other' }),
    ],
    [],
  );
  expect(withExamples(other, { most: ['5'] })).toEqual({
    project: ['PROJECT'],
    kind: ['a'],
    days: ['2026-11-20'],
    most: ['5'],
  });
});

describe('curl', () => {
  test('quotes for the shell, and repeats an ARRAY', () => {
    expect(curlSnippet(server, endpoint, args)).toBe(
      `curl --get 'http://127.0.0.1:8080/api/endpoints/usage.api-counts' \\
  --data-urlencode 'project=o'\\''neil & co' \\
  --data-urlencode 'interval=5min' \\
  --data-urlencode 'paths=/a' \\
  --data-urlencode 'paths=/b'`,
    );
  });

  test('takes the token from a variable', () => {
    expect(curlSnippet(guarded, endpoint, {})).toContain('-H "Authorization: Bearer $SAVEDQ_TOKEN"');
  });
});

describe('GraphQL', () => {
  test('has the names of the schema, and selects the fields of structs', () => {
    expect(graphqlSnippet(endpoint, { ...args, project: ['a"b'] })).toBe(`{
  apiCounts(project: "a\\"b", interval: FIVE_MINUTES, onPaths: ["/a", "/b"]) {
    timestamp
    timeOut
    labels
    place {
      city
      seenAt
    }
    stops {
      city
      seenAt
    }
    metadata
  }
}`);
  });

  test.each([
    [parameterOf({ type: 'INT64' }), '9007199254740993', '9007199254740993'],
    [parameterOf({ type: 'INT64' }), '007', '"007"'],
    [parameterOf({ type: 'FLOAT64' }), '1.5e3', '1.5e3'],
    [parameterOf({ type: 'NUMERIC' }), '1.50', '"1.50"'],
    [parameterOf({ type: 'BOOL' }), 'true', 'true'],
    [parameterOf({ type: 'DATE' }), '2026-11-20', '"2026-11-20"'],
    [parameterOf({ allowed: ['a b?'] }), 'a b?', '"a b?"'],
    [parameterOf({ allowed: ['a'], values: ['A'], fallback: 'a' }), 'other', 'A'],
    [parameterOf({ allowed: ['a'], values: ['A'] }), 'other', '"other"'],
    [parameterOf({ type: 'ARRAY<STRING>', allowed: ['a'], values: ['A'] }), 'a', '[A]'],
  ])('%j with the value %s is %s', (parameter, value, want) => {
    expect(graphqlSnippet(endpointOf([parameter], []), { project: [value] })).toContain(
      `apiCounts(project: ${want}) {`,
    );
  });
});

describe('TypeScript', () => {
  test('has the type of the rows', () => {
    expect(typescriptSnippet(server, endpoint, { project: ['acme'], paths: ['/a'] })).toBe(`type Row = {
  timestamp: number; // microseconds since 1970
  "time-out": number | null;
  labels: (string | null)[];
  place: {
    city: string;
    seen_at: number | null; // microseconds since 1970
  } | null;
  stops: ({
    city: string;
    seen_at: number | null; // microseconds since 1970
  } | null)[];
  metadata: unknown;
};

const url = new URL("http://127.0.0.1:8080/api/endpoints/usage.api-counts");
url.searchParams.append("project", "acme");
url.searchParams.append("paths", "/a");

const response = await fetch(url);
if (!response.ok) throw new Error(await response.text());
const { result } = (await response.json()) as { result: Row[] };`);
  });

  test('takes the token from the environment', () => {
    expect(typescriptSnippet(guarded, endpoint, {})).toContain('process.env.SAVEDQ_TOKEN');
  });
});

describe('Go', () => {
  test('has a type for the rows and for each struct', () => {
    expect(goSnippet(server, endpoint, args)).toContain(`type Row struct {
	Timestamp int64           \`json:"timestamp"\`
	TimeOut   *float64        \`json:"time-out"\`
	Labels    []*string       \`json:"labels"\`
	Place     *RowPlace       \`json:"place"\`
	Stops     []*RowStops     \`json:"stops"\`
	Metadata  json.RawMessage \`json:"metadata"\`
}

type RowPlace struct {
	City   string \`json:"city"\`
	SeenAt *int64 \`json:"seen_at"\`
}
`);
    expect(goSnippet(server, endpoint, args)).toContain('\tparams.Add("paths", "/b")\n');
  });

  test('imports only what it uses', () => {
    expect(goSnippet(server, endpoint, {})).not.toContain('net/url');
    expect(goSnippet(guarded, endpoint, {})).toContain('os.Getenv("SAVEDQ_TOKEN")');
  });

  test('names fields as Go needs them', () => {
    const columns = ['a_b', 'a-b', '2xx'].map((name) => columnOf(name, 'INT64', { nullable: false }));
    expect(goSnippet(server, endpointOf([], columns), {})).toContain(
      '\tAB        int64 `json:"a_b"`\n\tAB2       int64 `json:"a-b"`\n\tColumn2xx int64 `json:"2xx"`\n',
    );
  });
});

describe('clients', () => {
  test('urql and Apollo run the document of the GraphQL snippet', () => {
    const document = graphqlSnippet(endpoint, args);
    for (const snippet of [urqlSnippet, apolloSnippet]) {
      expect(snippet(server, endpoint, args)).toContain(`const query = gql\`${document}\`;`);
      expect(snippet(server, endpoint, args)).toContain('"http://127.0.0.1:8080/graphql"');
      expect(snippet(server, endpoint, args)).not.toContain('Authorization');
      expect(snippet(guarded, endpoint, args)).toContain('Authorization: `Bearer $');
      expect(snippet(guarded, endpoint, args)).toContain('{process.env.SAVEDQ_TOKEN}`');
    }
  });

  test('a document in a template has no placeholders of its own', () => {
    const placeholder = ['$', '{b}'].join('');
    const text = urqlSnippet(server, endpoint, { project: [`a\`${placeholder}`] });
    expect(text).toContain(`project: "a\\\`\\${placeholder}"`);
  });

  test('Python appends each value', () => {
    expect(pythonSnippet(server, endpoint, args)).toContain(
      'params = [\n    ("project", "o\'neil & co"),\n    ("interval", "5min"),\n    ("paths", "/a"),\n    ("paths", "/b"),\n]',
    );
    expect(pythonSnippet(server, endpoint, args)).not.toContain('import os');
    expect(pythonSnippet(guarded, endpoint, args)).toContain('os.environ["SAVEDQ_TOKEN"]');
  });

  test('DuckDB reads CSV', () => {
    expect(
      duckdbSnippet(guarded, endpoint, { project: ['acme'] }),
    ).toBe(`curl --silent --fail-with-body --get 'http://127.0.0.1:8080/api/endpoints/usage.api-counts' \\
  -H 'Accept: text/csv' \\
  -H "Authorization: Bearer $SAVEDQ_TOKEN" \\
  --data-urlencode 'project=acme' |
  duckdb -c "FROM read_csv('/dev/stdin')"`);
  });
});

test('colours lose nothing', () => {
  for (const snippet of [curlSnippet, goSnippet, typescriptSnippet, urqlSnippet, pythonSnippet, duckdbSnippet]) {
    const text = snippet(guarded, endpoint, args);
    const tokens = tokeniseCode(text);
    expect(tokens.map((token) => token.text).join('')).toBe(text);
    expect(new Set(tokens.map(({ kind }) => kind)).size).toBeGreaterThan(2);
  }
  expect(tokeniseCode('a "http://x" // b').map(({ kind }) => kind)).toEqual([
    'other',
    'other',
    'string',
    'other',
    'comment',
  ]);
});
