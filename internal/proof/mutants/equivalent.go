package main

// sameGuard is the reason why a guard of locks is not needed.
const sameGuard = "another guard holds for the same keys: of malformed locks, or of a constraint with the same locks"

// equivalent has the mutants that change no result, with the reasons.
var equivalent = map[string]string{
	`ofRole: some [2] → FALSE`:                                              sameGuard,
	`ofRole: some [4] → FALSE`:                                              sameGuard,
	`ofRole: some [5] → FALSE`:                                              sameGuard,
	`ofRole: some [6] → FALSE`:                                              sameGuard,
	`read: m.fits → TRUE`:                                                   "no key is empty",
	`pairs: eq(kind, str(expiring)) → TRUE`:                                 "the other five kinds have their cases before",
	`claimed: mine (3) → TRUE`:                                              "other items have no values, and only values need these columns",
	`derivedColumns: compared (2) → TRUE`:                                   "without the key that the item has, nothing is compared",
	`derivedColumns: not(read.fits) → FALSE`:                                "DuckDB reads empty variables from a key that does not fit, and they are equal; Trino reads NULL",
	`valued: accounts("i.") → TRUE`:                                         "other items have no values; the condition keeps them out of the join",
	`heldTwice: accounts("i.") → TRUE`:                                      "other items have no values; the condition keeps them out of the join",
	`unlockedColumn: mine (2) → TRUE`:                                       "heldTwice reads accounts only, and the attribute of another kind is not extracted",
	`idColumns: is (5) → TRUE`:                                              "without an id the counter's key is not used",
	`idColumns: is (6) → TRUE`:                                              "without an id the counter's key is not used",
	`same: of(">", of("many", col("*")), num(1)) → TRUE`:                    "several has kept only ids that occur twice, unless two hashes are equal",
	`several: of(">", of("many", col("*")), num(1)) → TRUE`:                 "the caller groups the rows again; the condition keeps the groups few",
	`itemsOf: exists(col("rest")) → TRUE`:                                   "only items with a rest are listed; the condition keeps the others' attributes out of the table",
	`keysQuery: or(a.guards...) → TRUE`:                                     "a guard only spares the extraction of an attribute",
	`keys: not(col("named")) → TRUE`:                                        "pairs decides; the condition keeps the table small",
	`keys: of("<>", of("coalesce", col("owner"), str("")), str("")) → TRUE`: "pairs decides; the condition keeps the table small",
	`quickly: of("starts_with", text, str(parts[0].Literal)) → TRUE`:        "the pattern begins with the same literal",
}
