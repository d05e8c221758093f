// Package corpus_test judges how well the program recognises layouts that nobody has described. It makes tables as
// libraries and applications write them, with some problems in each. It opens them, checks them and asks for values,
// and compares every finding and verdict with the truth. It knows nothing of how the inference works.
//
// A family of tables is one value in a list (catalogue_test.go, seen_test.go, …), or is drawn from a seed
// (generated_test.go). judge_test.go decides what is right. TestTruthOf… tests the corpus itself: with a layout that a
// person would write, its tables give exactly the truth. TestJudgeIsNotFooled tests that a wrong layout does not.
// TALLYLOCK_LONG=1 runs all cases. TALLYLOCK_FIXTURES names a folder of tables that real libraries wrote. With -v, each
// test lists the wrong answers and the layouts that the program recognised.
package corpus_test
