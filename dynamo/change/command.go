package change

import (
	"fmt"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Commands are the steps as commands of the AWS CLI that run as pasted into a POSIX
// shell: one for each step, with the same token. Steps that depend on what was
// seen between them are remarks: nobody deletes a lock by pasting on.
func (s Steps) Commands(conn *dynamo.Connection) (string, error) {
	flags, err := conn.CommandFlags()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, one := range s {
		request, err := one.Request()
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

// Request is the step as the body of a TransactWriteItems request: the bytes that
// are sent at every attempt.
func (s Step) Request() ([]byte, error) {
	if s.request != nil {
		return s.request, nil
	}
	return client.Request(s.Token, s.Writes)
}
