// Package scan reads whole tables and DynamoDB's exports to S3: bytes in, items out. A scan
// is parallel and paced, decodes pages without garbage, and reports its progress. It knows no
// layouts, accounts or locks. Start reading at Table, then Page.
package scan
