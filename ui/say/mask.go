package say

import (
	"os"
	"regexp"
	"strings"
)

// These patterns match what a report must not reveal about an AWS account: its number, its keys, and the names of
// sessions. accountIDs also matches whole table ids, so that it does not mistake the last twelve digits for an account
// number.
var (
	accountIDs = regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b\d{12}\b`)
	accessKeys = regexp.MustCompile(`\b(AKIA|ASIA|AROA|AIDA)[A-Z0-9]{8,}`)
	sessions   = regexp.MustCompile(`(assumed-role/[^/\s]+|:user)/[^\s,;:)]+`)
)

// Masked removes the details of AWS accounts and of this machine from a text for a report. It does
// not know the values of tables.
func Masked(text string) string {
	if home, err := os.UserHomeDir(); err == nil && len(home) > 1 {
		text = strings.ReplaceAll(text, home, "~")
	}
	text = sessions.ReplaceAllString(text, "$1/***")
	text = accessKeys.ReplaceAllString(text, "$1***")
	return accountIDs.ReplaceAllStringFunc(text, func(id string) string {
		if strings.Contains(id, "-") {
			return id
		}
		return "************"
	})
}
