package check

// tally counts the items that a pass has met.
type tally struct {
	accounts, locks int64
	// values that no lock can be made of, and the first of them.
	impossible int64
	example    string
	of         []ruleTally // by the layout's order
	marks      []Mark
	moreMarks  int
	expiring   int64 // accounts
	keyless    int64 // items of another table's export
	// lostCounters is how often a counter was met that is not followed.
	lostCounters int64
}

// ruleTally is that of one constraint.
type ruleTally struct {
	locks int64
	owned int64 // locks that name somebody
	calls int64 // claims of accounts
	folds int64 // of these, of values with capitals and the like
}

func (t *tally) add(more *tally) {
	t.accounts += more.accounts
	t.locks += more.locks
	t.expiring += more.expiring
	t.impossible += more.impossible
	t.keyless += more.keyless
	t.lostCounters += more.lostCounters
	if t.example == "" {
		t.example = more.example
	}
	for n, one := range more.of {
		of := &t.of[n]
		of.locks += one.locks
		of.owned += one.owned
		of.calls += one.calls
		of.folds += one.folds
	}
}
