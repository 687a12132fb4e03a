import { asObject, compactJson, type Json } from '../api/json';

/** How many levels are open at first. */
const openLevels = 3;

/**
 * Metadata as a tree. Every object in it is a list of one object (D14): such a list
 * is shown as one node, and not as a level of its own.
 */
export function MetadataTree({ value }: { value: Json }) {
  const node = nodeOf(value);
  if (node === null) return <Leaf value={value} />;
  return (
    <div className="tree mono">
      {node.kind === 'list of one' ? (
        <p className="muted">
          [{'{'}…{'}'}]
        </p>
      ) : null}
      <Branch entries={node.entries} level={1} />
    </div>
  );
}

interface Node {
  kind: 'object' | 'list of one' | 'list';
  entries: [string, Json][];
}

/** The children of a value; null for a leaf. */
function nodeOf(value: Json): Node | null {
  if (Array.isArray(value)) {
    const only = value.length === 1 ? asObject(value[0]) : null;
    if (only !== null) return { kind: 'list of one', entries: Object.entries(only) };
    return { kind: 'list', entries: value.map((item, index) => [String(index), item]) };
  }
  const object = asObject(value);
  return object === null ? null : { kind: 'object', entries: Object.entries(object) };
}

function Branch({ entries, level }: { entries: [string, Json][]; level: number }) {
  return (
    <ul>
      {entries.map(([name, value]) => (
        <li key={name}>
          <Entry name={name} value={value} level={level} />
        </li>
      ))}
    </ul>
  );
}

function Entry({ name, value, level }: { name: string; value: Json; level: number }) {
  const node = nodeOf(value);
  if (node === null || node.entries.length === 0) {
    return (
      <div className="tree-leaf">
        {name} <Leaf value={value} />
      </div>
    );
  }
  return (
    <details open={level < openLevels}>
      <summary>
        {name} <span className="muted">{kindOf(node)}</span>
      </summary>
      <Branch entries={node.entries} level={level + 1} />
    </details>
  );
}

function kindOf({ kind, entries }: Node): string {
  switch (kind) {
    case 'list of one':
      return '[{…}]';
    case 'object':
      return '{…}';
    case 'list':
      return `[${entries.length} items]`;
  }
}

function Leaf({ value }: { value: Json }) {
  const type = typeof value === 'bigint' ? 'number' : typeof value;
  return value === null ? (
    <em className="muted">null</em>
  ) : (
    <code style={{ color: `var(--code-${type})` }}>{compactJson(value)}</code>
  );
}
