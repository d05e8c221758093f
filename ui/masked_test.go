package ui_test

import (
	"regexp"
	"strings"
)

// A mask has a pattern for texts that are different in each run, and the replacement in golden files.
type mask struct {
	pattern *regexp.Regexp
	with    string
}

var (
	// filled are masks of texts after a filling of equal characters. The length of the filling changes, so that the width
	// of the row stays.
	filled = []mask{
		{regexp.MustCompile(`( +)(answered in )([0-9.]+ (?:s|min))`), "N.NN s"},
		{regexp.MustCompile(`(─+)( [^─\n]* )([0-9.,]+) (?:RU/s|read units a second)`), "N"},
	}
	// plain are masks that replace only the matched text. Unlike filled, they do not keep the width of the row.
	plain = []mask{
		{regexp.MustCompile(`R-\d{8}-\d{6}-[a-z2-7]{8}`), "R-YYYYMMDD-HHMMSS-xxxxxxxx"},
		{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"},
		{regexp.MustCompile(`\b[0-9a-f]{32}\b`), strings.Repeat("x", 32)},
		{regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`), "YYYY-MM-DD"},
		{regexp.MustCompile(`\b[0-9.,]+ (RU/s|read units a second)`), "N $1"},
		{regexp.MustCompile(` +(WRITE|WRITE · TYPED|READ-ONLY|OFFLINE|LOGGED OUT) +[0-9.,]+ (RU|read units)`), " $1 N $2"},
		{regexp.MustCompile(` +[0-9.,]+ (RU|read units), [0-9.]+ s`), " N $1, N s"},
		{regexp.MustCompile(`\b\d+\.\d+ s of( \d+ days)? +[0-9.,]+ RU`), "N s of$1 N RU"},
		{regexp.MustCompile(` *\b[0-9.,]+ of about [0-9.,]+ (RU|read units)`), " N of about N $1"},
		{regexp.MustCompile(`\b\d+\.\d+ s of`), "N s of"},
		{regexp.MustCompile(`\bwithin \d+ s,`), "within N s,"},
		{regexp.MustCompile(` +\d+ s so far(,| ) *`), " N s so far$1 "},
		{regexp.MustCompile(`│ +[0-9.]+ s( *\n)`), "│ N s$1"}, // in a row that a dialog covers in part
		{regexp.MustCompile(`(no answer|stopped) after [0-9.]+ s +`), "$1 after N s "},
		{regexp.MustCompile(`UTC, (just now|(in )?\d+ [a-z]+( ago)?) · `), "UTC, N ago · "},
		{regexp.MustCompile(`the slowest at \d+ %`), "the slowest at NN %"},
		{regexp.MustCompile(`[0-9,]+ a second`), "N a second"},
		{regexp.MustCompile(`a second, (last|read for) [0-9N]+ (s|min)( so far)?`), "a second, last N s"},
		{regexp.MustCompile(`│[a-z0-9 ]+ so far( *\n)`), "│$1"}, // in a row that a dialog covers in part
		{regexp.MustCompile(`tries again (now|in \d+ s, \d+ tr(y|ies) so far)[^│\n]*`), "tries again in N s, N tries so far"},
		{regexp.MustCompile(`─+( as it was at [0-9:]+), [^─\n]* ──`), "──$1, N s ago ──"},
	}
	port      = regexp.MustCompile(`127\.0\.0\.1:\d{5}`)
	directory = regexp.MustCompile(`(│  in +)(/[^│]*)│`) // the directory of the tests
	bars      = regexp.MustCompile(` *[▁▂▃▄▅▆▇█]+`)
	clock     = regexp.MustCompile(`\d?\d(:\d\d)+|\d\d:\d?[│╰]|│\d+ ──`)
	digit     = regexp.MustCompile(`\d`)
	axis      = regexp.MustCompile(`0 └[ ─]+`)
	since     = regexp.MustCompile(`[ 0-9:]{8,} now`)
)

// masked replaces the texts of a screen that are different in each run. It keeps the columns of the other texts.
func masked(frame string) string {
	frame = chartless(portless(frame))
	for _, m := range filled {
		frame = m.pattern.ReplaceAllStringFunc(frame, func(found string) string {
			at := m.pattern.FindStringSubmatch(found)
			filling, varies := []rune(at[1]), at[3]
			fill := strings.Repeat(string(filling[0]), max(len(filling)+len(varies)-len(m.with), 1))
			return fill + at[2] + m.with + found[len(at[1])+len(at[2])+len(varies):]
		})
	}
	for _, m := range plain {
		frame = m.pattern.ReplaceAllString(frame, m.with)
	}
	frame = directory.ReplaceAllStringFunc(frame, func(row string) string {
		at := strings.Index(row, "/")
		return row[:at] + "DIR" + strings.Repeat(" ", len([]rune(row[at:]))-4) + "│"
	})
	frame = bars.ReplaceAllStringFunc(frame, func(bars string) string {
		return strings.Repeat(" ", len([]rune(bars))-1) + "_" // the number of bars depends on the time
	})
	frame = clock.ReplaceAllStringFunc(frame, func(clock string) string { return digit.ReplaceAllString(clock, "N") })
	lines := strings.Split(frame, "\n")
	for n := range lines {
		lines[n] = strings.TrimRight(lines[n], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// portless replaces the port of a server by a constant port.
func portless(frame string) string { return port.ReplaceAllString(frame, "127.0.0.1:18000") }

// chartless removes the beginning from the axis of a chart, because it depends on the time.
func chartless(frame string) string {
	frame = axis.ReplaceAllStringFunc(frame, func(axis string) string {
		return "0 └" + strings.Repeat("─", len([]rune(axis))-3)
	})
	return since.ReplaceAllStringFunc(frame, func(times string) string {
		return strings.Repeat(" ", len(times)-3) + "now"
	})
}
