// Runs the code cells of a notebook in JavaScript with Node.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const { cells } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const code = cells.filter((cell) => cell.cell_type === 'code').map((cell) => cell.source.join(''));
writeFileSync('cells.mjs', code.join('\n')); // here, so that it finds node_modules
try {
  await import('./cells.mjs');
} finally {
  rmSync('cells.mjs');
}
