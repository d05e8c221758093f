package say_test

import (
	"testing"

	"tallylock/ui/say"
)

func TestMasked(t *testing.T) {
	for text, want := range map[string]string{
		"arn:aws:dynamodb:eu-west-1:123456789012:table/users":         "arn:aws:dynamodb:eu-west-1:************:table/users",
		"bucket logs-123456789012":                                    "bucket logs-************",
		"table 3f0c9b6e-1f0a-4c1e-9a55-123456789012":                  "table 3f0c9b6e-1f0a-4c1e-9a55-123456789012",
		"AKIAIOSFODNN7EXAMPLE":                                        "AKIA***",
		"arn:aws:sts::123456789012:assumed-role/support/sam@corp.com": "arn:aws:sts::************:assumed-role/support/***",
	} {
		if got := say.Masked(text); got != want {
			t.Errorf("%s: %s; want %s", text, got, want)
		}
	}
}
