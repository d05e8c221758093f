// Package corpus_test judges how well layouts are recognised that nobody has described:
// tables as libraries and applications write them, with something wrong in each, are
// opened, checked and asked about through the program's own surfaces, and every finding
// and verdict is held against what is known to be true. It knows nothing of how the
// inference works.
//
// A family of tables is one value in a list (catalogue_test.go, seen_test.go, …), or drawn
// from a seed (generated_test.go); judge_test.go says what is right and what is wrong.
// TestTruthOf… shows that the corpus itself is right: read by a layout that a person would
// write, its tables give exactly what it calls the truth; TestJudgeIsNotFooled shows the
// reverse. TALLYLOCK_LONG=1 tests all of it, and TALLYLOCK_FIXTURES names a folder of tables
// that real libraries wrote. With -v each test lists what was not right, and the layout
// that was recognised instead.
package corpus_test
