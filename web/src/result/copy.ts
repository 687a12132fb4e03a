/**
 * The selected text of a table, in which rounded values are exact, as their data-exact says;
 * null to copy what is shown. Cells are separated by tabs and rows by line breaks, as spreadsheets expect.
 */
export function exactSelection(selection: Selection | null): string | null {
  if (selection === null || selection.rangeCount === 0 || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const around = elementAt(range.commonAncestorContainer)?.closest('[data-exact]');
  // A part of a value is copied as it is seen.
  if (around) return range.toString() === around.textContent ? around.getAttribute('data-exact') : null;
  const part = range.cloneContents();
  for (const value of part.querySelectorAll('[data-exact]')) {
    value.textContent = value.getAttribute('data-exact');
  }
  const rows = [...part.querySelectorAll('tr:not(.spacer)')];
  const cellsOf = (parent: ParentNode): string =>
    [...parent.querySelectorAll('th, td')].map((cell) => cell.textContent?.trim() ?? '').join('\t');
  if (rows.length > 0) return rows.map(cellsOf).join('\n');
  return part.querySelector('th, td') === null ? (part.textContent ?? '') : cellsOf(part);
}

function elementAt(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}
