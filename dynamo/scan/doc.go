// Package scan reads whole tables: bytes in, items out. A scan is parallel and paced,
// decodes pages without garbage, and says how far it is; an export of DynamoDB's to S3
// is read in the same way. It knows nothing of layouts, accounts or locks. It imports
// client, attr and phrase; start reading at Table, then Page.
package scan
