package check

import (
	"fmt"
	"strings"
	"time"
)

// shortened cuts the middle out of a text that is too long to read: its beginning tells which
// it is, and its end what is wrong.
func shortened(s string) string {
	const each = 120
	if len(s) <= 2*each {
		return s
	}
	return strings.ToValidUTF8(s[:each], "") + "…" + strings.ToValidUTF8(s[len(s)-each:], "")
}

// seconds writes a short duration: "1 s", "0.3 s".
func seconds(d time.Duration) string {
	if d < time.Millisecond {
		return d.String()
	}
	return fmt.Sprintf("%g s", d.Seconds())
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }
