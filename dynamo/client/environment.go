package client

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// variableName finds a variable of the SDK's in a message.
var variableName = regexp.MustCompile(`\bAWS_[A-Z0-9_]+\b`)

// misconfigured explains an error of the SDK that comes from one setting: which it
// is stands in the middle of the message, if anywhere. nil: it is about none.
func misconfigured(err error) error {
	name, why := "", reason(err)
	for _, said := range variableName.FindAllString(err.Error(), -1) {
		if os.Getenv(said) != "" {
			name = said
		}
	}
	bundle := os.Getenv("AWS_CA_BUNDLE")
	file, missing := errors.AsType[*fs.PathError](err)
	if missing {
		why = file.Path + ": " + file.Err.Error()
	}
	switch {
	case name != "":
	case bundle != "" && (missing && file.Path == bundle || strings.Contains(err.Error(), "custom CA bundle")):
		name = "AWS_CA_BUNDLE"
	case missing:
		name = "a file that the AWS config names, such as its ca_bundle,"
	default:
		return nil
	}
	return &Error{
		Kind: Usage,
		Op:   "connecting",
		Why:  name + " cannot be used: " + why,
		Do:   "correct it, or unset it",
		Err:  err,
	}
}
