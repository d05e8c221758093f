package say

import (
	"fmt"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// AWSCommands returns the steps of a plan as AWS CLI commands for a POSIX shell, one for each step,
// with the same tokens. A step that depends on a look at the table is a comment, so that nobody
// deletes a lock by pasting all commands.
func AWSCommands(conn *dynamo.Connection, steps plan.Steps) (string, error) {
	profile, url, ok := conn.Reach()
	if !ok {
		return "", &client.Error{
			Kind: client.Unsupported,
			Op:   "writing a command",
			Why:  "the demo's tables are inside the program",
			Do:   "run: tallylock demo --serve 127.0.0.1:8000, and look at those",
		}
	}
	flags := []string{"--region", conn.Region()}
	if profile != "" {
		flags = append(flags, "--profile", profile)
	}
	if url != "" {
		flags = append(flags, "--endpoint-url", url)
	}
	var out strings.Builder
	for _, one := range steps {
		request, err := one.Body()
		if err != nil {
			return "", err
		}
		if one.Only != "" {
			fmt.Fprintf(&out, "# %s, only if %s:\n# ", one.Name, one.Only)
		}
		out.WriteString("aws dynamodb transact-write-items")
		for _, flag := range flags {
			out.WriteString(" " + phrase.ShellWord(flag))
		}
		out.WriteString(" --cli-input-json " + phrase.ShellWord(string(request)) + "\n")
	}
	return out.String(), nil
}
