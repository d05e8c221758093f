package kit

// Hint is a key and one to three words.
type Hint struct{ Key, Words string }

// WithKeys are the hints whose action has a key.
func WithKeys(hints []Hint) []Hint {
	var out []Hint
	for _, h := range hints {
		if h.Key != "" {
			out = append(out, h)
		}
	}
	return out
}

// HintsWidth is how many cells hints take in a row.
func HintsWidth(hints []Hint) int {
	w := 0
	for n, h := range hints {
		if n > 0 {
			w += 3
		}
		w += Width(h.Key) + 1 + Width(h.Words)
	}
	return w
}

// Keys writes what keys do, a row each, from column col on.
func (d *Block) Keys(col int, hints ...Hint) {
	hints = WithKeys(hints)
	wide := 0
	for _, h := range hints {
		wide = max(wide, Width(h.Key))
	}
	for _, h := range hints {
		d.Row(func(l *Line) {
			l.To(col)
			l.Put(Key, h.Key)
			l.To(col + wide + 1)
			l.Words(Text, h.Words, l.Width-l.At-1)
		})
	}
}

// HintArea is where a hint stands in its line.
type HintArea struct {
	Key      string
	From, To int
}

// WriteHints writes hints in a row, and tells where each stands.
func WriteHints(l *Line, hints []Hint) []HintArea {
	var out []HintArea
	for n, h := range hints {
		if n > 0 {
			l.Put(Text, "   ")
		}
		from := l.At
		l.Put(Key, h.Key)
		l.Put(Muted, " "+h.Words)
		out = append(out, HintArea{h.Key, from, l.At})
	}
	return out
}
