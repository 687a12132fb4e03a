// Runs import.gs of examples/spreadsheet, with a stand-in for Google's services, and prints the cells.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

let cells = [['left from before']];
const sheet = {
  clearContents: () => { cells = []; },
  getRange: (row, column, rows, columns) => ({
    setValues: (values) => {
      if (row !== 1 || column !== 1 || values.length !== rows || values.some((line) => line.length !== columns)) throw new Error('the range has another size');
      cells = values;
    },
  }),
};
runInNewContext(`${readFileSync(process.argv[2], 'utf8')}\nimportRows();`, {
  PropertiesService: { getScriptProperties: () => ({ getProperty: (name) => process.env[name] }) },
  SpreadsheetApp: { getActive: () => ({ getSheetByName: () => null, insertSheet: () => sheet }) },
  UrlFetchApp: {
    fetch: (url, { headers }) => {
      const header = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
      const answer = execFileSync('curl', ['-s', '-w', '%{http_code}', url, ...header], { encoding: 'utf8' });
      return { getResponseCode: () => Number(answer.slice(-3)), getContentText: () => answer.slice(0, -3) };
    },
  },
  Utilities: { parseCsv: (text) => text.trimEnd().split('\n').map((line) => line.split(',')) }, // no cell of the test has a comma
});
for (const line of cells) console.log(line.join('|'));
