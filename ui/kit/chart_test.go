package kit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tallylock/ui/kit"
)

// A chart shows only the time that was read: its axis begins there. The summary of an unchanged counter has no highest
// rate.
func TestAChartOfWhatWasRead(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 1, 0, 0, time.Local)
	for name, c := range map[string]struct {
		parts []float64
		read  time.Duration
		axis  int
		sum   string
	}{
		"stands still":      {[]float64{-1, -1, 0, 0}, 3 * time.Second, 20, "no increase since 12:00:57"},
		"all of it":         {[]float64{0, 0, 0, 0}, time.Hour, 40, "no increase since 12:00:52"},
		"moved late":        {[]float64{-1, -1, 0, 4}, 3 * time.Second, 20, "highest 4 at 12:01:00   mean 2   lowest 0"},
		"moved early":       {[]float64{8, 1, 0, 3}, time.Hour, 40, "highest 8 at 12:00:54   mean 3   lowest 0"},
		"nothing read":      {[]float64{-1, -1, -1, -1}, 0, 0, "nothing to show yet"},
		"more than it took": {[]float64{-1, 2, 0, 0}, 5 * time.Second, 30, "highest 2 at 12:00:56   mean 0.67   lowest 0"},
	} {
		t.Run(name, func(t *testing.T) {
			d := kit.NewBlock(kit.NewStyles(kit.Look{Dark: true, Colours: kit.NoColour}), 60, 10)
			kit.Chart{Parts: c.parts, Width: 40, Part: 2 * time.Second, Read: now.Add(-c.read), To: now}.Draw(d, 4)
			drawn := ansi.Strip(strings.Join(d.Lines, "\n"))
			axis := len([]rune(drawn)) - len([]rune(strings.ReplaceAll(drawn, kit.RuleThin, "")))
			if axis != c.axis || !strings.Contains(drawn, c.sum) {
				t.Errorf("%q and an axis of %d wanted, not of %d:\n%s", c.sum, c.axis, axis, drawn)
			}
		})
	}
}
