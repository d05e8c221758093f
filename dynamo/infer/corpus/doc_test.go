// Package corpus_test judges how well layouts are recognised that nobody has described:
// tables as libraries and applications write them, with something wrong in each, are
// opened, checked and asked about through the program's own surfaces, and every finding
// and verdict is held against what is known to be true. It knows nothing of how the
// inference works. Start at corpus_test.go; a family of tables is one value in a list.
package corpus_test
