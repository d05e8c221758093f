package mcp

import "tallylock/dynamo/verdict"

// verdictMeans explains each verdict without a value.
var verdictMeans = map[verdict.Verdict]string{
	verdict.Held:      "One account holds the value and its lock.",
	verdict.Orphaned:  "The lock exists, and no account holds its value.",
	verdict.Stale:     "The lock names an account that exists and holds another value.",
	verdict.Foreign:   "The lock names one account, and another account holds the value.",
	verdict.Duplicate: "Several accounts hold the value.",
	verdict.Malformed: "The key of the lock can only come from a mistake.",
	verdict.Missing:   "An account holds the value, which has no lock.",
	verdict.Reserved:  "No account holds the value yet: a sign-up may still write the account.",
	verdict.Free:      "There is no lock, and no account holds the value.",
	verdict.InUse:     "An account holds the value without a lock, and this is no fault.",
	verdict.Unknown:   "It is unknown whether an account holds the value.",
}

// verdictWords explains the verdict of a relation without its value.
func verdictWords(r *verdict.Relation) string {
	text := verdictMeans[r.Verdict]
	switch {
	case r.AsksTables:
		text += " A person must first say which other tables put locks into the table of the lock."
	case r.Asks != nil:
		text += " Another item has the value, and a person must say whether such items count: tallylock layout."
	case r.Misfit:
		text += " The layout does not fit the table."
	case r.Busy, r.Changed:
		text += " The items changed while they were read: try again."
	case r.Verdict == verdict.Unknown:
		text += " Only a reading of the whole table can decide this. A person can run: tallylock find --scan."
	case r.Provisional:
		text += " The verdict is provisional: a later reading may change it."
	}
	return text
}
