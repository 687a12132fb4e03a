import { useMemo, useState } from 'react';
import type { Look } from '../endpoints/address';
import { AxesForm } from './AxesForm';
import { CategoryChart } from './CategoryChart';
import { axesOf, type ChangeLook } from './look';
import { planOf } from './plan';
import { TimeChart } from './TimeChart';
import type { ResultColumn, Row } from './types';

interface ResultChartProps {
  caption: string;
  columns: readonly ResultColumn[];
  rows: readonly Row[];
  /** When the rows were computed: a later end of a bucket means that it is in progress. */
  asOf: Date;
  look: Look;
  onLook: ChangeLook;
}

/** Any result as a chart, or why there is none. It is the default export, because it is loaded when it is first shown. */
export default function ResultChart({ caption, columns, rows, asOf, look, onLook }: ResultChartProps) {
  const { x = '', y = '', series = '' } = look;
  const plan = useMemo(() => planOf(columns, axesOf({ x, y, series })), [columns, x, y, series]);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  const shared = { caption, rows, hidden, onToggle: toggle, look, onLook };
  return (
    <>
      <AxesForm columns={columns} plan={plan} look={look} onLook={onLook} />
      {plan.kind === 'none' ? (
        <p className="muted">{plan.reason}</p>
      ) : plan.kind === 'time' ? (
        <TimeChart plan={plan} asOf={asOf} {...shared} />
      ) : (
        <CategoryChart plan={plan} {...shared} />
      )}
    </>
  );
}
