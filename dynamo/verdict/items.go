package verdict

// ItemFacts is everything that the certainty of a finding without a lock may rest on. Such a finding is a
// faulty counter, a counter that is behind the ids in use, an id that several items have, or a key that
// disagrees with the other attributes of its item.
type ItemFacts struct {
	Read ItemsRead
	// Several: the finding compares several items, which may have changed between two readings.
	Several bool
	// Guessed: no person answers for the part of the layout that the finding rests on.
	Guessed bool
	// Suspect: so many items have the fault that the layout may be wrong.
	Suspect bool
	// Regions limit a finding if other Regions write the table: a read in this Region may miss their latest writes.
	Regions Regions
}

// ItemsRead says how the items of a finding were read last.
type ItemsRead int

// The values of ItemsRead, from the least certain reading to the most.
const (
	ReadOnce     ItemsRead = iota // by a pass over the table, each item at another time
	ReadAgain                     // strongly consistent, each item alone
	ReadTogether                  // all items at one moment
)

// JudgeItems reports whether a finding without a lock is certain. Judge decides the same of a lock and its value.
func JudgeItems(e ItemFacts) (sure bool) {
	needs := ReadAgain
	if e.Several {
		needs = ReadTogether
	}
	return e.Read >= needs && !e.Guessed && !e.Suspect && e.Regions.Unproven() == ""
}
