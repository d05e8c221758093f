// Package phrase writes numbers, lists and quotations for messages, the same way
// everywhere. It imports nothing of the program. Start at Count.
package phrase

import (
	"strconv"
	"strings"
)

// Count writes "1 item", "3 items", with separators from 1,000 on.
func Count[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Number(n) + " " + what + "s"
}

// Number writes a whole number with separators.
func Number[N int | int64](n N) string { return Group(strconv.FormatInt(int64(n), 10)) }

// Group puts a comma between each three digits of a whole number. Any other text it
// leaves as it is.
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

// List writes "a", "a and b", "a, b and c".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Quote puts a value between quotes and nothing else. What is in it is not escaped:
// the sanitiser shows control characters when the text reaches a terminal.
func Quote(v string) string { return `"` + v + `"` }

// ShellWord makes one word of a POSIX shell out of any text.
func ShellWord(s string) string {
	plain := s != ""
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
