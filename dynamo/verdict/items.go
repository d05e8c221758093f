package verdict

// ItemFacts are the facts that decide whether a finding without a lock is certain. Such a finding is a
// faulty counter, a counter that is behind the ids in use, an id that several items have, or a key that
// disagrees with the other attributes of its item.
type ItemFacts struct {
	Read ItemsRead
	// Several: the finding compares several items. They may change between two readings, so only a reading
	// of all items together makes it certain.
	Several bool
	// Guessed: the finding relies on a part of the layout that no person has confirmed.
	Guessed bool
	// Suspect: very many items have the same fault, so the layout may be wrong.
	Suspect bool
	// Regions limit a finding if other Regions write the table: a read in this Region may miss their latest writes.
	Regions Regions
}

// ItemsRead says how the items of a finding were read last.
type ItemsRead int

// The values of ItemsRead, from the least certain reading to the most.
const (
	ReadOnce     ItemsRead = iota // the items were read by a pass over the table, each at a different time
	ReadAgain                     // each item was read alone, strongly consistent
	ReadTogether                  // all items were read at one moment
)

// JudgeItems reports whether a finding without a lock is certain. Findings about locks go to Judge instead.
func JudgeItems(e ItemFacts) (sure bool) {
	needs := ReadAgain
	if e.Several {
		needs = ReadTogether
	}
	return e.Read >= needs && !e.Guessed && !e.Suspect && e.Regions.Unproven() == ""
}
