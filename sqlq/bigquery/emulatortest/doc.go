// Package emulatortest puts the BigQuery engine through the conformance suite on
// an emulator of BigQuery, with DuckDB beside it on the same logs. It is a module
// of its own because the emulator is large: a build of savedq does not
// download it. It holds nothing but tests.
package emulatortest
