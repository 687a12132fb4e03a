import { useEffect, useRef, useState } from 'react';
import { isAbort, toFailure } from '../api/failure';
import { useServices } from '../app/context';
import { type Draft, type Preview, preview } from './declaration';
import PointsChart from './PointsChart';
import { summaryOf } from './previewSummary';

interface AlertPreviewProps {
  draft: Draft;
  onMistakes: (mistakes: { readonly [field: string]: string }) => void;
}

const ranges = [
  { range: '1d', label: 'last day' },
  { range: '7d', label: 'last 7 days' },
] as const;

/** What an alert would have measured. It is the default export, because it is loaded when it is first shown. */
export default function AlertPreview({ draft, onMistakes }: AlertPreviewProps) {
  const { client } = useServices();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [shown, setShown] = useState<{ draft: Draft; preview: Preview } | null>(null);
  const running = useRef<AbortController | null>(null);
  // A page that nobody looks at costs the engine nothing.
  useEffect(() => () => running.current?.abort(), []);
  const run = async (range: string): Promise<void> => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setBusy(true);
    setProblem(null);
    try {
      const found = await preview(client, draft, range, { signal: controller.signal });
      onMistakes(found.mistakes);
      setShown(found.points.length === 0 ? null : { draft, preview: found });
    } catch (thrown) {
      if (isAbort(thrown)) return;
      setShown(null);
      setProblem(toFailure(thrown).details.message);
    }
    setBusy(false);
  };
  return (
    <section className="stack alert-preview" aria-label="Preview" aria-busy={busy}>
      <div className="row">
        {ranges.map(({ range, label }) => (
          <button
            key={range}
            type="button"
            className="button"
            aria-disabled={busy}
            onClick={() => {
              if (!busy) void run(range);
            }}
          >
            {busy ? 'Running …' : `Preview the ${label}`}
          </button>
        ))}
      </div>
      {problem === null ? null : (
        <p className="field-problem wrap" role="alert">
          {problem}
        </p>
      )}
      {shown === null ? null : (
        <div className={shown.draft === draft ? undefined : 'previous'}>
          <p className="medium" role="status">
            {summaryOf(shown.preview, draft)}
          </p>
          <PointsChart
            title="the preview"
            points={shown.preview.points}
            measured={shown.preview.measured}
            threshold={shown.preview.threshold}
            isMarked={(_, index) => shown.preview.points[index]?.firing === true}
          />
        </div>
      )}
    </section>
  );
}
