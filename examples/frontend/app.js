// A chart of the signed-in user's project, which is updated every five seconds.

/** The token and the address of savedq, from the app's own backend. */
let access = null;

/** Requests rows from savedq. A token that has expired is replaced once. */
async function rows(path, fresh = access === null) {
  if (fresh) access = await (await fetch('/token')).json();
  const response = await fetch(access.url + path, { headers: { Authorization: `Bearer ${access.token}` } });
  if (response.status === 401 && !fresh) return rows(path, true);
  const body = await response.json();
  if (!response.ok) throw new Error(body.error.message);
  return body.result;
}

function draw(buckets) {
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const points = buckets.map(({ count }, minute) => `${minute},${100 - (95 * count) / most}`);
  document.querySelector('polyline').setAttribute('points', points.join(' '));
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  document.querySelector('[role=status]').textContent = `${total} invocations, at most ${most} in a minute`;
}

async function update() {
  try {
    // The token binds the project, so that it need not be named. The oldest bucket is first.
    const buckets = await rows('/api/endpoints/functions.invocation-stats?interval=1hr');
    draw(buckets.toSorted((a, b) => a.timestamp - b.timestamp));
  } catch (failure) {
    document.querySelector('[role=status]').textContent = failure.message;
  }
  setTimeout(update, 5000);
}

update();
