import { useEffect, useState } from 'react';

/** How often it moves, in milliseconds. */
const step = 100;

/** How long something has been running. Screen readers hear only that it runs. */
export function Clock({ since }: { since: number }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), step);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="explore-clock" role="timer" aria-live="off" aria-label="Running for">
      {(Math.max(0, now - since) / 1000).toFixed(1)} s
    </span>
  );
}
