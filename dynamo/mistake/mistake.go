// Package mistake describes an error in a config file: the setting and the reason. It also suggests the
// right word for a misspelt setting or command. It imports nothing of the program. Start at Mistake and
// Meant.
package mistake

import (
	"errors"
	"fmt"
	"strings"
)

// Mistake is an error in a setting.
type Mistake struct {
	// Path is the path of the setting: "layout[1].account.constraint[2].pk". If the setting is missing,
	// Path is the path of its section.
	Path string
	Err  error
}

func (m *Mistake) Error() string { return m.Err.Error() }

// Unwrap returns the error without its path.
func (m *Mistake) Unwrap() error { return m.Err }

// At adds a path to an error: the path of a setting or a section. The error may already have a path, which
// begins at the section. Then At joins the two paths.
func At(path string, err error) error {
	if err == nil {
		return nil
	}
	inner, ok := errors.AsType[*Mistake](err)
	if !ok || inner.Path == "" {
		return &Mistake{path, err}
	}
	if !strings.HasPrefix(inner.Path, "[") && path != "" {
		path += "."
	}
	return &Mistake{path + inner.Path, err}
}

// Errorf formats an error and adds a path to it, as At does.
func Errorf(path, format string, args ...any) error { return At(path, fmt.Errorf(format, args...)) }

// Path returns the path of the setting that an error is about. It returns "" if the error has no path.
func Path(err error) string {
	if m, ok := errors.AsType[*Mistake](err); ok {
		return m.Path
	}
	return ""
}

// Meant suggests the known word that is most similar to the word in said: `, did you mean "lower"?`. It
// returns "" if no known word is similar.
func Meant(said string, known ...string) string {
	best, least := "", len(said)/3+1
	for _, k := range known {
		if len(k) > len(said)+least || len(said) > len(k)+least {
			continue
		}
		d := distance(strings.ToLower(said), strings.ToLower(k))
		if k != said && k != "" && (d < least || (d == least && best == "")) {
			best, least = k, d
		}
	}
	if best == "" {
		for _, k := range known {
			if len(said) > 2 && k != said && k != "" && (strings.HasPrefix(said, k) || strings.HasPrefix(k, said)) {
				best = k
			}
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// distance returns the least number of changes that turn one word into the other. A change inserts, deletes
// or replaces a letter, or swaps two neighbours.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		rows[i][0] = i
	}
	for j := range to {
		rows[0][j+1] = j + 1
	}
	for i := range from {
		for j := range to {
			cost := 1
			if from[i] == to[j] {
				cost = 0
			}
			least := min(rows[i][j+1]+1, rows[i+1][j]+1, rows[i][j]+cost)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				least = min(least, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = least
		}
	}
	return rows[len(from)][len(to)]
}
