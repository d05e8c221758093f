package example

// counters derives the counters of the lesson.
func (d *deriving) counters() error {
	if len(d.Numbers) > 0 {
		return refuse("counters cannot be taught yet", "describe the counter in the config")
	}
	return nil
}
