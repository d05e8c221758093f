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

// Count writes a number and its noun: "1 item", "3 items", "1,234 items".
func Count[N int | int64](n N, what string) string {
	return CountDigits(strconv.FormatInt(int64(n), 10), what)
}

// CountDigits is Count for a whole number that is given as digits. The number may be too large for an
// int64.
func CountDigits(digits, what string) string {
	if digits == "1" {
		return "1 " + what
	}
	return Group(digits) + " " + what + "s"
}

// Number writes a whole number with separators: "1,234".
func Number[N int | int64](n N) string { return Group(strconv.FormatInt(int64(n), 10)) }

// Group separates the thousands of a whole number with commas: "1,234,567". It returns any other text
// unchanged.
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

// Quote puts a value between double quotes. It escapes nothing, because the sanitiser makes control
// characters visible before the text reaches a terminal.
func Quote(v string) string { return `"` + v + `"` }

// WithoutPath returns the text of an error. For a file system error, the text omits the system call and the
// path. The message around the text already names them.
func WithoutPath(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// ShellWord writes a text as one word for a POSIX shell. It quotes the text if needed. It also quotes a
// text that ends in a full stop or a comma. Without quotes, a reader would take this character for
// punctuation of the sentence around it.
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
