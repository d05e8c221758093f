//go:build race

package ui_test

// raceDetector reports whether the tests run under it.
const raceDetector = true
