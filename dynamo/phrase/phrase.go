// Package phrase writes numbers, times, lists, quotations and errors for messages, the same way
// everywhere. Start at Count.
package phrase

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// Count writes "1 item", "3 items", with separators from 1,000 on.
func Count[N int | int64](n N, what string) string {
	return CountDigits(strconv.FormatInt(int64(n), 10), what)
}

// CountDigits is Count for a whole number in digits, which may be too large for an int64.
func CountDigits(digits, what string) string {
	if digits == "1" {
		return "1 " + what
	}
	return Group(digits) + " " + what + "s"
}

// Number writes a whole number with separators.
func Number[N int | int64](n N) string { return Group(strconv.FormatInt(int64(n), 10)) }

// Group puts a comma after every three digits of a whole number, counted from the end. It returns
// any other text unchanged.
func Group(digits string) string {
	sign := ""
	if digits != "" && digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return sign + digits
		}
	}
	out := ""
	for len(digits) > 3 {
		out = "," + digits[len(digits)-3:] + out
		digits = digits[:len(digits)-3]
	}
	return sign + digits + out
}

// Clock writes the local time of day to the second: "14:03:07".
func Clock(t time.Time) string { return t.Local().Format(time.TimeOnly) }

// UTC writes a date and time in UTC: "2026-11-24 14:03:07 UTC".
func UTC(t time.Time) string { return t.UTC().Format(time.DateTime + " UTC") }

// List writes "a", "a and b", "a, b and c".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Some writes the first ten names and the number of the others: "a, b and 3 more".
func Some(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and " + Number(len(names)-most) + " more"
}

// Quote puts a value between quotes. It escapes nothing: the sanitiser shows control characters
// when the text reaches a terminal.
func Quote(v string) string { return `"` + v + `"` }

// WithoutPath returns the text of a file system error without its call and path, since the sentence
// around it names them. It returns the text of any other error unchanged.
func WithoutPath(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// ShellWord quotes a text, if needed, as one word of a POSIX shell. It also quotes a full stop or
// comma at the end, so that the word does not look like the end of a sentence.
func ShellWord(s string) string {
	plain := s != "" && !strings.ContainsRune(".,", rune(s[len(s)-1]))
	for _, c := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,", c) {
			plain = false
		}
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
