package client

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// AWSFiles are the AWS config file and the AWS credentials file. The zero AWSFiles are the files that the environment
// names, or those in the home directory.
type AWSFiles struct{ Config, Credentials string }

// profileHead matches the heading of a profile in the AWS config and credentials files.
var profileHead = regexp.MustCompile(`(?m)^\s*\[\s*(?:profile\s+)?["']?([^\s\]"']+)["']?\s*\]`)

// Profiles lists the profiles in both files, sorted. It ignores files that it cannot read.
func (f AWSFiles) Profiles() []string {
	home, _ := os.UserHomeDir()
	if f == (AWSFiles{}) {
		f.Config = cmp.Or(os.Getenv("AWS_CONFIG_FILE"), filepath.Join(home, ".aws", "config"))
		f.Credentials = cmp.Or(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials"))
	}
	var names []string
	for _, file := range []string{f.Config, f.Credentials} {
		data, _ := os.ReadFile(file)
		for _, head := range profileHead.FindAllSubmatch(data, -1) {
			names = append(names, string(head[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// AWSRegions lists the AWS Regions that were known when this version was built. AWS may have more.
func AWSRegions() []string {
	return []string{
		"af-south-1", "ap-east-1", "ap-east-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1",
		"ap-south-2", "ap-southeast-1", "ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5",
		"ap-southeast-6", "ap-southeast-7", "ca-central-1", "ca-west-1", "cn-north-1", "cn-northwest-1",
		"eu-central-1", "eu-central-2", "eu-north-1", "eu-south-1", "eu-south-2", "eu-west-1", "eu-west-2",
		"eu-west-3", "il-central-1", "me-central-1", "me-south-1", "me-west-1", "mx-central-1", "sa-east-1",
		"sa-west-1", "us-east-1", "us-east-2", "us-gov-east-1", "us-gov-west-1", "us-west-1", "us-west-2",
	}
}
