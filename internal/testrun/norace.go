//go:build !race

package testrun

// Race reports whether the tests run under the race detector.
const Race = false
