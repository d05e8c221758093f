package cli

import (
	"fmt"
	"regexp"
	"strings"
)

// named is how DynamoDB lets tables be called (Developer Guide, "Naming rules").
var named = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)

// tableNamed refuses what no table can be called, before anything is sent. An ARN is left to
// the endpoint.
func tableNamed(table string) error {
	if table == "" || named.MatchString(table) || strings.HasPrefix(table, "arn:") {
		return nil
	}
	return usage("reading --table", fmt.Sprintf("no table can be called %q", table), "give 3 to 255 letters a to z or A to Z, digits, \"_\", \".\" and \"-\", or the table's ARN; nothing was sent")
}
