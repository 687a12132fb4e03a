// Reads an Arrow stream from each URL with the token, and prints its columns and then its rows as JSON.
import { DataType, tableFromIPC } from 'apache-arrow';

// json returns a value as savedq's JSON has it, but of each time its microseconds.
function json(type, value) {
  if (value === null || value === undefined) return 'null';
  if (DataType.isList(type)) return `[${[...value].map((element) => json(type.children[0].type, element)).join(',')}]`;
  if (DataType.isStruct(type)) return `{${type.children.map((field) => `"${field.name}":${json(field.type, value[field.name])}`).join(',')}}`;
  if (DataType.isDecimal(type)) return decimal(value, type.scale);
  if (DataType.isInt(type)) return String(value);
  if (DataType.isDate(type)) return `"${new Date(Number(value)).toISOString().slice(0, 10)}"`;
  if (DataType.isTimestamp(type)) return String(Math.round(value * 1000)); // apache-arrow returns milliseconds
  return JSON.stringify(value);
}

// decimal returns a number of four words, the lowest first, in units of its last digit.
function decimal(words, scale) {
  const units = BigInt.asIntN(128, [...words].reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n));
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const text = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`.replace(/\.?0+$/, '');
  return units < 0n ? `-${text}` : text;
}

for (const url of process.argv.slice(2)) {
  const response = await fetch(url, { headers: { 'X-API-KEY': process.env.SAVEDQ_TOKEN } });
  if (!response.ok) throw new Error(await response.text());
  const table = tableFromIPC(new Uint8Array(await response.arrayBuffer()));
  for (const field of table.schema.fields) console.log(field.name, String(field.type));
  for (const row of table) console.log(table.schema.fields.map((field) => json(field.type, row[field.name])).join(' '));
}
