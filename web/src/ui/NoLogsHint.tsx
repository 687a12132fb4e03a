/** What to do if there are no logs at all. */
export function NoLogsHint() {
  return (
    <p>
      No data yet? Start the server with <code>savedq serve --demo</code> for demo logs of the projects{' '}
      <code>default</code>, <code>acme</code> and <code>globex</code>, or send your own to <code>/api/logs</code>.
    </p>
  );
}
