package change

import (
	"fmt"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Commands returns the steps as commands of the AWS CLI for a POSIX shell, one per step, with
// the same tokens. Steps that depend on what is seen between them are commented out: nobody
// deletes a lock by pasting on.
func (s Steps) Commands(conn *dynamo.Connection) (string, error) {
	flags, err := conn.CommandFlags()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, one := range s {
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

// Body returns the body of the step's TransactWriteItems request: the bytes that are sent at
// every attempt.
func (s Step) Body() ([]byte, error) {
	return client.Request(s.Token, s.Writes)
}
