package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo/check/progress"
	"tallylock/ui/cli/app"
)

// A log has a note about outages at most every 5 minutes, for any number of outages.
func TestOutagesInALog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		c := &checking{Run: &app.Run{App: &app.App{Err: log}}}
		told := func(lasts time.Duration) int {
			for end := time.Now().Add(lasts); time.Now().Before(end); {
				silent := progress.State{Silent: time.Now()}
				time.Sleep(10 * time.Second)
				c.onState(t.Context(), &app.ProgressLine{}, nil, silent)
				c.onState(t.Context(), &app.ProgressLine{}, nil, progress.State{})
			}
			text, err := os.ReadFile(log.Name())
			if err != nil {
				t.Fatal(err)
			}
			return strings.Count(string(text), "The endpoint has not answered since")
		}
		if n := told(time.Minute); n != 1 {
			t.Errorf("told %d times within a minute", n)
		}
		if n := told(time.Hour); n < 2 || n > 13 {
			t.Errorf("told %d times within an hour", n)
		}
	})
}
