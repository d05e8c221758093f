package check

import "context"

// needsAllAccounts reports whether candidates found by SQL need a reading of all accounts: if
// no account is known to claim an existing lock, or if an item that SQL did not judge may
// hold a value. Otherwise lock and accounts are read together, and the table is not read.
func (f *followUp) needsAllAccounts(ctx context.Context) (rests bool, err error) {
	if f.run.o.Candidates == nil || f.run.o.Confirm == ConfirmNone {
		return true, nil
	}
	if rests = f.run.values.unresolved || f.run.ids.unresolved; rests && f.run.o.Confirm == ConfirmReads {
		f.report.incomplete(
			"who else holds values or ids that SQL has not judged only a look at all accounts tells: --confirm full",
		)
	}
	if len(f.candidates) == 0 {
		return rests, nil
	}
	p := f.run.newPass(minCells, false)
	p.candidates = f.candidates
	if err := f.run.scan(ctx, p, FindingKeys, false); err != nil {
		return false, err
	}
	open := 0
	for _, c := range f.candidates {
		c.mu.Lock()
		switch here := !c.absent; {
		case here && c.count < 0 && len(c.holders) == 0:
			rests = true
		case here && c.count > 0 && !c.fromSQL && !c.onPass: // SQL has paired its lock with an account
			rests, open = true, open+1
		}
		c.holders, c.moreHolders = nil, 0
		c.mu.Unlock()
	}
	if open > 0 && f.run.o.Confirm == ConfirmReads {
		f.report.incomplete("%d values may be held by accounts that only a look at all of them tells: --confirm full", open)
	}
	return rests, nil
}
