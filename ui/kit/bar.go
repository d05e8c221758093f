package kit

// Bar draws how much of something is done.
func (l *Line) Bar(part float64, width int) {
	done := int(part * float64(width))
	l.Run(Accent, RuleHeavy, min(max(done, 0), width))
	l.Run(Faint, RuleThin, width-max(done, 0))
}
