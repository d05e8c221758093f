package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"text/template"

	"tallylock/dynamo/phrase"
)

// markdown is the template of a ticket. All texts from a table are in code blocks and code spans,
// so that none can become a link, a mention or markup.
var markdown = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("markdown").Funcs(template.FuncMap{
		"plain": plain, "span": span, "listing": block, "number": phrase.Number[int],
	}).Parse(markdownText))
})

const markdownText = `# {{plain .Title}}

**{{plain .Outcome}}**{{if .Gate}} {{plain .Gate}}{{end}}
{{if .Masked}}
Values, ids and keys are masked: a stands for a letter, 0 for a digit.
{{end}}
{{range .Facts}}- {{.Name}}: {{span .Is}}
{{end}}{{if .Kinds}}
| Finding | Found | Confirmed |
|---|--:|--:|
{{range .Kinds}}| {{.Kind}} | {{number .All}} | {{number .Sure}} |
{{end}}{{end}}
{{plain .Sure}}
{{range .Checked}}
- {{plain .}}{{end}}{{range .NotChecked}}
- {{plain .}}{{end}}
{{if .Notes}}{{range .Notes}}
- {{plain .}}{{end}}
{{end}}{{range .Kinds}}
## {{.Kind}}

{{plain .Means}} **What to do:** {{plain .Do}}

{{listing .Findings}}
{{if .Unshown}}
{{number .Unshown}} more are not shown.
{{end}}{{end}}{{if .Rests}}
## Assumptions of confirmed findings
{{range .Rests}}
- {{plain .}}{{end}}{{range .Excluded}}
- Still possible: {{plain .}}{{end}}
{{end}}
tallylock {{plain .Version}}
`

// roomInMarkdown is the approximate number of bytes that the findings of all kinds may take in a ticket.
const roomInMarkdown = 50_000

func writeMarkdown(w io.Writer, d document) error {
	d.fit(roomInMarkdown, func(e entry) int { return len(block([]entry{e})) })
	return markdown().Execute(w, d)
}

// ours matches text that no Markdown treats as markup, a link or a mention.
var ours = regexp.MustCompile(`^[\pL\pN ,.;:?!'"()%–—-]*$`)

// plain writes a sentence as text if that is safe, otherwise as code.
func plain(s string) string {
	if ours.MatchString(s) && !strings.Contains(s, "www.") {
		return s
	}
	return span(s)
}

// span writes a text as inline code.
func span(s string) string {
	if s == "" {
		return ""
	}
	end := fence(s, "`")
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.TrimSpace(s) != s {
		s = " " + s + " "
	}
	return end + s + end
}

// longestInMarkdown is the greatest length of a text in a ticket, in characters.
const longestInMarkdown = 400

// block writes findings as a code block. Each line begins with spaces or a number, so that no line
// can end the block.
func block(all []entry) string {
	var b strings.Builder
	for _, e := range all {
		sure := ""
		if !e.Confirmed {
			sure = " (not confirmed)"
		}
		fmt.Fprintf(&b, "%d. %s %s%s\n", e.Number, e.About, short(e.Value), sure)
		if e.Says != "" {
			fmt.Fprintf(&b, "    %s\n", short(e.Says))
		}
		for n, k := range e.Keys {
			if n == mostKeysInMarkdown {
				e.More += len(e.Keys) - n
				break
			}
			fmt.Fprintf(&b, "    %s\n", short(k))
		}
		if e.More > 0 {
			fmt.Fprintf(&b, "    %s\n", e.MoreKeys())
		}
		if e.Evidence != "" {
			fmt.Fprintf(&b, "    evidence: %s\n", short(e.Evidence))
		}
		if e.Command != "" && len(e.Command) <= longestInMarkdown { // a command that is cut off would be wrong
			fmt.Fprintf(&b, "    %s\n", e.Command)
		}
	}
	end := fence(b.String(), "```")
	return end + "text\n" + b.String() + end
}

// mostKeysInMarkdown limits the keys of one finding in a ticket.
const mostKeysInMarkdown = 4

func short(s string) string {
	if all := []rune(s); len(all) > longestInMarkdown {
		return string(all[:longestInMarkdown]) + "…"
	}
	return s
}

// fence returns at least as many backticks as least has, and more than the text has in a row.
func fence(s, least string) string {
	for strings.Contains(s, least) {
		least += "`"
	}
	return least
}
