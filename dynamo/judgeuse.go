package dynamo

// UseEvidence is what the verdict on a value rests on that no lock keeps unique.
type UseEvidence struct {
	// Accounts is how many were read at one moment that hold the value. Apart: the endpoint
	// has no transactions, and they were read one after the other. Scanned: they were met with
	// the table, each at a time of its own.
	Accounts       int
	Apart, Scanned bool
	// Others says what is known of all other accounts, OthersWhy why that is not more, and
	// Index which index has answered, where one has.
	Others    Others
	OthersWhy string
	Index     string
	Regions   Regions
}

// JudgeUse is Judge for a value that no lock keeps: InUse, Duplicate, Free or Unknown. What
// nobody holds is always provisional, since nothing keeps a sign-up from taking it meanwhile.
func JudgeUse(e UseEvidence) Judgement {
	var j Judgement
	switch {
	case e.Accounts > 1:
		j = Judgement{Verdict: Duplicate, Provisional: e.Apart || e.Scanned}
		switch {
		case e.Scanned:
			j.Why = "the accounts were read one after the other, with the table"
		case e.Apart:
			j.Why = "this endpoint has no transactions, and the accounts were read one after the other"
		}
	case e.Accounts == 1:
		j = Judgement{Verdict: InUse}
		if e.Others < OthersAbsent {
			j.Why = "whether a further account holds it was not read"
		}
	case e.Others >= OthersAbsent:
		j = Judgement{
			Verdict:     Free,
			Provisional: true,
			Why:         "all accounts were read once: a sign-up under way is not excluded",
		}
	case e.Others == OthersIndexed:
		j = Judgement{Verdict: Free, Provisional: true, Why: "the index " + e.Index + " lists nobody, and may lag"}
	default:
		j = Judgement{Verdict: Unknown, Why: e.OthersWhy}
	}
	if where := e.Regions.Unproven(); j.Verdict == Free && where != "" {
		j.Why = where
	}
	return j
}
