package check

import (
	"fmt"
	"slices"
)

// warn is remark, of what is known before the tables are read.
func (c *checker) warn(format string, args ...any) {
	c.remark(format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.early = append(c.early, fmt.Sprintf(format, args...))
}

// remark notes something that people should know besides the findings.
func (c *checker) remark(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if note := fmt.Sprintf(format, args...); !slices.Contains(c.summary.Notes, note) {
		c.summary.Notes = append(c.summary.Notes, note)
	}
}

// lacks notes something that keeps the check from being complete.
func (c *checker) lacks(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.summary.Why != "" {
		c.summary.Why += "; "
	}
	c.summary.Why += fmt.Sprintf(format, args...)
}
