package dialog

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// A step that was sent again keeps its reason while later steps with other reasons are shown.
func TestAStepKeepsWhyItWasSentAgain(t *testing.T) {
	t.Parallel()
	w := &Work{}
	for _, p := range []change.Progress{
		{Stage: change.StageMark, Attempt: 1},
		{Stage: change.StageAskAgain, Attempt: 2, Before: client.Throttled},
		{Stage: change.StageDelete, Attempt: 1},
		{Stage: change.StageAskAgain, Attempt: 2, Before: client.Conflict},
		{Stage: change.StageLook},
	} {
		w.update(p)
	}
	b := kit.NewBox(kit.NewStyles(kit.Look{Dark: true}), 80, kit.Text)
	w.WriteStages(b)
	drawn := ansi.Strip(strings.Join(b.Render(24), "\n"))
	for stage, before := range map[change.Stage]client.Kind{
		change.StageMark: client.Throttled, change.StageDelete: client.Conflict,
	} {
		why := say.WhyAgain(change.Progress{Before: before})
		_, after, _ := strings.Cut(drawn, string(stage))
		if line, _, _ := strings.Cut(after, "\n"); !strings.Contains(line, why) {
			t.Errorf("%s does not say %q:\n%s", stage, why, drawn)
		}
	}
}
