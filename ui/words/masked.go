package words

import (
	"os"
	"regexp"
	"strings"
)

// What a report must not show of an account: its number, its keys, and who has a session.
// The end of a table's id may be twelve digits, too, and tells nothing of an account.
var (
	accountIDs = regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b\d{12}\b`)
	accessKeys = regexp.MustCompile(`\b(AKIA|ASIA|AROA|AIDA)[A-Z0-9]{8,}`)
	sessions   = regexp.MustCompile(`(assumed-role/[^/\s]+|:user)/[^\s,;:)]+`)
)

// Masked is a text without what people should not find in a report that is handed on: of
// AWS accounts, and of this machine. It knows nothing of a table's values.
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
