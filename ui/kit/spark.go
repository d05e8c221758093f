package kit

// Spark writes a low and quiet line of bars: the parts of the last minute,
// scaled to the highest of them. Zero is a faint line; anything above it is
// seen. Nothing stands where nothing was read yet.
func Spark(l *Line, parts []float64) {
	bars := [4]string{"▂", "▃", "▄", "▅"}
	high := 0.0
	for _, p := range parts {
		high = max(high, p)
	}
	for n, p := range parts {
		switch {
		case p < 0:
			l.Put(Text, " ")
		case p == 0 || high == 0:
			l.Run(Faint, "▁", 1)
		default:
			k := Fill
			if n == len(parts)-1 {
				k = Accent
			}
			l.Run(k, bars[min(int(p/high*4), 3)], 1)
		}
	}
}
