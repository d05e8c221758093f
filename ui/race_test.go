//go:build race

package ui_test

// raceDetector reports whether the tests run with the race detector.
const raceDetector = true
