package client

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// profileHead is the head of a profile's section in the AWS config, and in its credentials.
var profileHead = regexp.MustCompile(`(?m)^\s*\[\s*(?:profile\s+)?["']?([^\s\]"']+)["']?\s*\]`)

// Profiles lists the profiles that the AWS config and credentials files have, sorted. Files
// that cannot be read have none.
func Profiles() []string {
	home, _ := os.UserHomeDir()
	var names []string
	for variable, file := range map[string]string{"AWS_CONFIG_FILE": "config", "AWS_SHARED_CREDENTIALS_FILE": "credentials"} {
		data, _ := os.ReadFile(cmp.Or(os.Getenv(variable), filepath.Join(home, ".aws", file)))
		for _, head := range profileHead.FindAllSubmatch(data, -1) {
			names = append(names, string(head[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
