import { useState } from 'react';
import type { RowOrder } from '../result/order';
import { ResultTable } from '../result/ResultTable';
import type { ResultColumn, Row } from '../result/types';

interface FiredRowsProps {
  caption: string;
  columns: readonly ResultColumn[];
  rows: readonly Row[];
  checked: string | null;
}

const options = { wrap: false, exact: false };

/** The rows of the last check. It is the default export, because it is loaded when it is first shown. */
export default function FiredRows({ checked, ...rows }: FiredRowsProps) {
  const [order, setOrder] = useState<RowOrder>(null);
  return (
    <ResultTable {...rows} now={new Date(checked ?? Date.now())} options={options} order={order} onOrder={setOrder} />
  );
}
