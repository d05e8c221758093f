package record

import "tallylock/dynamo/check"

// Findings are findings of a check, and in the end its summary where that is given, as
// `check --output jsonl` prints them. A CSV has no summary.
func Findings(all []check.Finding, summary *check.Summary) List {
	l := List{
		Heads: []string{
			"finding", "table", "constraint", "value", "lock_table", "lock", "owner", "accounts", "counter", "key",
			"attribute", "seen",
			"expected", "highest_id", "id", "items", "confirmed", "detail", "evidence",
		},
		Rows: rowsOf(all, func(f check.Finding) check.Finding { return f }),
	}
	if summary != nil {
		l.Last = ending{summary}
	}
	return l
}

// ending is the last line of a check.
type ending struct {
	Summary *check.Summary `json:"summary"`
}
