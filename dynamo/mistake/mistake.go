// Package mistake is what is wrong in a config file: in which setting, and why. It also tells
// what was meant by a misspelt word, of commands, too. It imports nothing of the program. Start
// at Mistake and Meant.
package mistake

import (
	"errors"
	"fmt"
	"strings"
)

// Mistake is an error in a setting.
type Mistake struct {
	// Path leads to the setting: "layout[1].account.constraint[2].pk". It leads to a
	// section where something is missing in it.
	Path string
	Err  error
}

func (m *Mistake) Error() string { return m.Err.Error() }

// Unwrap is the error without its place.
func (m *Mistake) Unwrap() error { return m.Err }

// At puts an error into a setting or a section. One that has a place already is in a
// section of that name.
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

// Errorf is At of an error in these words.
func Errorf(path, format string, args ...any) error { return At(path, fmt.Errorf(format, args...)) }

// Path is where an error is; empty where that is not known.
func Path(err error) string {
	if m, ok := errors.AsType[*Mistake](err); ok {
		return m.Path
	}
	return ""
}

// Meant asks for the known word that is next to what was said: `, did you mean
// "lower"?`. It is empty where none is near.
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
			if len(said) > 2 && k != "" && (strings.HasPrefix(said, k) || strings.HasPrefix(k, said)) {
				best = k
			}
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// distance is how many letters have to be put, taken out, changed or exchanged with
// their neighbour to make one word of another.
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
