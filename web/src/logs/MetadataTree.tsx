import type { ReactNode } from 'react';
import { asObject, compactJson, type Json } from '../api/json';

/** How many levels are open at first. */
const openLevels = 4;

/** What can be done with a value of a name. */
export type ValueActions = (name: string, value: string) => ReactNode;

/**
 * Metadata as a tree. Every object in it is a list of one object (D14): such a list
 * is shown as the object, because it is how it is stored and not what it means.
 */
export function MetadataTree({ value, actions }: { value: Json; actions: ValueActions }) {
  const node = nodeOf(value);
  if (node === null) return <Leaf value={value} />;
  return (
    <div className="tree mono">
      <Branch entries={node.entries} level={1} actions={actions} />
    </div>
  );
}

interface Node {
  isList: boolean;
  entries: [string, Json][];
}

/** The children of a value; null for a leaf. */
function nodeOf(value: Json): Node | null {
  if (Array.isArray(value)) {
    const only = value.length === 1 ? asObject(value[0]) : null;
    if (only !== null) return { isList: false, entries: Object.entries(only) };
    return { isList: true, entries: value.map((item, index) => [String(index), item]) };
  }
  const object = asObject(value);
  return object === null ? null : { isList: false, entries: Object.entries(object) };
}

interface BranchProps {
  entries: [string, Json][];
  level: number;
  actions: ValueActions;
}

function Branch({ entries, level, actions }: BranchProps) {
  return (
    <ul>
      {entries.map(([name, value]) => (
        <li key={name}>
          <Entry name={name} value={value} level={level} actions={actions} />
        </li>
      ))}
    </ul>
  );
}

interface EntryProps {
  name: string;
  value: Json;
  level: number;
  actions: ValueActions;
}

function Entry({ name, value, level, actions }: EntryProps) {
  const node = nodeOf(value);
  if (node === null || node.entries.length === 0) {
    const filterable = value !== null && typeof value !== 'object';
    return (
      <div className="tree-leaf value-row">
        <span className="muted">{name}</span> <Leaf value={value} />
        {filterable ? actions(name, String(value)) : null}
      </div>
    );
  }
  return (
    <details open={level < openLevels}>
      <summary>
        {name} {node.isList ? <span className="muted">{node.entries.length} items</span> : null}
      </summary>
      <Branch entries={node.entries} level={level + 1} actions={actions} />
    </details>
  );
}

function Leaf({ value }: { value: Json }) {
  const type = typeof value === 'bigint' ? 'number' : typeof value;
  return value === null ? (
    <em className="muted">null</em>
  ) : (
    <code style={{ color: `var(--code-${type})` }}>{compactJson(value)}</code>
  );
}
