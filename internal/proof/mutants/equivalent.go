package main

// equivalent has the mutants that change no result, with the reasons.
var equivalent = map[string]string{}
