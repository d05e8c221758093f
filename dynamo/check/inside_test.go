package check

// SketchedJoin is the join of a pass, for benchmarks that compare it with others.
type SketchedJoin struct{ join *join }

// NewSketchedJoin makes one as a check of a table of so many items does.
func NewSketchedJoin(items int64) SketchedJoin {
	z := sizesFor(DefaultMemory, items)
	return SketchedJoin{newJoin(newSecret(), z.cells, z.copies)}
}

// Worker is what one worker adds keys to. It has to be flushed in the end.
func (s SketchedJoin) Worker() (add func(key []byte, sign int8), flush func()) {
	b := &batch{join: s.join}
	return func(key []byte, sign int8) { s.join.secret.entry(b.next(sign), key, nil, key) }, b.flush
}

// Left is how many keys are left over, once all is flushed.
func (s SketchedJoin) Left() (int, bool) {
	left, whole := s.join.sum().decode()
	return len(left), whole
}
