package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tallylock/dynamo/client"
)

// anyName has what stands for other characters in a policy be a part of a name.
var anyName = strings.NewReplacer("*", "___", "?", "_")

// tableNamed refuses a --table that no table can be called, before anything is sent. A
// policy may be for all tables of a pattern.
func tableNamed(cmd *cobra.Command, table string) error {
	name, rules := table, client.NameRules
	if cmd.Name() == "policy" {
		name, rules = anyName.Replace(table), rules+`; "*" and "?" stand for other characters`
	}
	if table == "" || client.MayBeCalled(name) {
		return nil
	}
	return usage("reading --table", fmt.Sprintf("no table can be called %q", table), "give "+rules+"; nothing was sent")
}
