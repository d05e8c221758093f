package findings

import (
	"context"
	"path/filepath"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/message"
	"tallylock/ui/session"
)

// saved is the findings of a check as lines, with its summary where it is over.
type saved struct {
	findings []check.Finding
	summary  *check.Summary
}

// toSave asks for the file that the findings are saved to.
func (r *run) toSave() message.Save {
	return message.Save{
		Title: "Save the findings", File: filepath.Base(r.table.Name) + "-findings.jsonl",
		Says: func() string {
			so := ""
			if r.running {
				so = " so far"
			}
			return "Saves " + phrase.Count(len(r.all), "finding") + so + " of " + r.table.Name + ", a line of JSON each, as `tallylock check --output jsonl` writes them. `tallylock mend` takes them."
		},
		Now: func() message.Saved {
			s := r.saved()
			return message.Saved{What: phrase.Count(len(s.findings), "finding"), To: s.save}
		},
	}
}

func (r *run) saved() saved {
	s := saved{findings: make([]check.Finding, len(r.all))}
	for n, row := range r.all {
		s.findings[n] = row.f
	}
	if !r.running {
		s.summary = &r.summary
	}
	return s
}

func (s saved) lines(ctx context.Context) ([]byte, error) {
	var out []byte
	for _, f := range s.findings {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line, err := attr.Line(f, "")
		if err != nil {
			return nil, err
		}
		out = append(out, line...)
	}
	if s.summary == nil {
		return out, nil
	}
	line, err := attr.Line(struct {
		Summary *check.Summary `json:"summary"`
	}{s.summary}, "")
	return append(out, line...), err
}

// save writes the lines to a file.
func (s saved) save(ctx context.Context, path string, replace bool) error {
	data, err := s.lines(ctx)
	if err != nil {
		return err
	}
	return session.WriteFile(path, data, replace)
}
