//go:build race

package check_test

// raceDetector reports whether the tests run under it.
const raceDetector = true
