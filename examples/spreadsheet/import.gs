// Google Sheets: Extensions > Apps Script. Run importRows, or add a trigger that does every hour.
// Project Settings > Script Properties has SAVEDQ_URL and SAVEDQ_TOKEN.

function importRows() {
  const properties = PropertiesService.getScriptProperties();
  const url = properties.getProperty('SAVEDQ_URL').replace(/\/$/, '') +
    '/api/endpoints/functions.invocation-stats?project=acme&interval=7day&format=csv&bom=1';
  const response = UrlFetchApp.fetch(url, {
    headers: { 'X-API-KEY': properties.getProperty('SAVEDQ_TOKEN') },
    muteHttpExceptions: true, // the body of an error says what to change
  });
  if (response.getResponseCode() !== 200) throw new Error(response.getContentText());
  const rows = Utilities.parseCsv(response.getContentText('UTF-8').replace(/^\uFEFF/, ''));
  const spreadsheet = SpreadsheetApp.getActive();
  const sheet = spreadsheet.getSheetByName('savedq') || spreadsheet.insertSheet('savedq');
  sheet.clearContents();
  sheet.getRange(1, 1, rows.length, rows[0].length).setValues(rows);
}
