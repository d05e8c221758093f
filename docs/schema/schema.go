// Package schema has the JSON Schemas of the documents that tallylock prints. A test makes them from the printed types.
package schema

import "embed"

// Files has the schemas that the program itself uses.
//
//go:embed find.json counters.json explain.json finding.json layout.json
var Files embed.FS
