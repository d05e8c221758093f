package say

import "strings"

// Keys joins a partition key and a sort key, or their patterns: "ORDER#* / META". sort is empty if there is none.
func Keys(hash, sort string) string { return strings.TrimSuffix(hash+" / "+sort, " / ") }

// Pattern writes the pattern of an item's keys as Keys does: "ORDER#* / META" for "ORDER#*/META".
func Pattern(keys string) string { return strings.Replace(keys, "/", " / ", 1) }
