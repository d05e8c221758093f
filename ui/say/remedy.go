package say

import (
	"regexp"
	"strings"

	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// remedies has the sentence for each remedy. $1 and $2 are its arguments. Braces are around a
// command. Do adds the flags of the remedy's table and connection to the command.
var remedies = map[remedy.Code]string{
	remedy.Text:             "$1",
	remedy.AddWrite:         "add --write, or set write = true for the connection in the config",
	remedy.NameRegion:       "set AWS_REGION or --region",
	remedy.CorrectRegion:    "correct AWS_REGION or --region",
	remedy.NameProfile:      "set AWS_PROFILE or --profile, or run: aws configure sso",
	remedy.ListProfiles:     "run: aws configure list-profiles",
	remedy.LogIn:            "run: aws login",
	remedy.LogInSSO:         "run: aws sso login",
	remedy.LogInSSOAgain:    "log in again: aws sso login",
	remedy.AllowTable:       "start the server with --table $1, too",
	remedy.NameTable:        "name it with --table",
	remedy.NameKeys:         "name them with --keys, partition key first, such as --keys PK,SK or --keys users=id,emails=email",
	remedy.TryTable:         "name one with --table",
	remedy.OtherRegion:      "is the Region right? Name another with --region or --profile",
	remedy.TryWriting:       "add --write for more tests; none of them writes",
	remedy.PrintPolicy:      "this prints the permissions: {policy $1}",
	remedy.PrintWritePolicy: "this prints the permissions for changes: {policy operator}",

	remedy.NameLayout:          "name it, for example with --layout uniq, or describe it under [[layout]] in the config",
	remedy.NameLayoutOr:        "name its layout with --layout, describe it under [[layout]] in the config, or $1",
	remedy.NameLayoutOrWait:    "try again when it has items, or name its layout with --layout",
	remedy.NameOtherLayout:     "name another with --layout, or describe this table in the config",
	remedy.NameItsLayout:       "describe the item's layout in the config, or name its preset with --layout",
	remedy.SeeAndNameLayout:    "see the evidence: {layout}; then name a preset with --layout, or describe the table's keys under [[layout]] in the config",
	remedy.CorrectOrNameLayout: "correct the layout in the config, or name another with --layout",
	remedy.CorrectLayout:       "correct the layout in the config; this shows it: {layout}",
	remedy.DescribeLayout:      "describe the layout in the config; this shows the recognised layout: {layout}",
	remedy.AllowScan:           "ask for the permissions: {policy viewer} prints them",
	remedy.ListCounters:        "run: {counters}",
	remedy.CorrectKey:          "correct the key or --attribute",
	remedy.AskWho:              "see who holds it with: {find | $1}",
	remedy.AddScope:            "add --scope $1=$2",
	remedy.AddScopeOrKey:       "add --scope $1=$2, or give the key as find prints it",
	remedy.LeaveScope:          "leave --scope out: $1",
	remedy.LeaveAlsoIn:         "leave --also-in out",
	remedy.MoveAnswers:         "make its directory writable, or choose another place with --journal: answers are stored beside the journal",
	remedy.SeeAnswers:          "see the ids with: {layout}",
	remedy.Accept:              "see it: {layout}; if your application uses it, accept it: {layout --accept $1}",
	remedy.AcceptAndSayTables:  "see it: {layout}; if your application uses it, accept it, and name the other tables that put locks into $2: {layout --accept $1 --also-in TABLES|none}",
	remedy.SayTables:           "name them, or none: {layout --accept $1 --also-in TABLES|none}",
	remedy.Answer:              "If such items hold the values: {layout --holder $1}. If they do not: {layout --no-holder $1}",
	remedy.AnswerElsewhere:     "If such items hold the values: {layout --holder $1 --items-table $2}. If they do not: {layout --no-holder $1 --items-table $2}",

	remedy.MoreMemory:         "give the check --memory $1",
	remedy.MoreMemoryForAll:   "give the check --memory $1 to follow up all of them",
	remedy.SomeMoreMemory:     "give the check more --memory",
	remedy.AcceptOrMoreMemory: "accept the layout, or give the check --memory $1",
	remedy.CheckAgain:         "check again, with more --memory if the memory was too small",
	remedy.CheckQuietly:       "check again at a quieter time, or with more --memory",
	remedy.ConfirmFull:        "--confirm full",
	remedy.OtherTemp:          "make room there, or name a directory on another disk with --temp or TMPDIR",
	remedy.RepairAndCheck:     "repair these, and check again",
	remedy.LeftOut:            "--only does not name it",
	remedy.NameSQLResult:      "name the result of the SQL that `tallylock check --sql` printed for this table; if the layout has changed, print and run the SQL again",
	remedy.PrintSQLAgain:      "put all files of the export where the SQL reads them; print the SQL again with --export, and run it again",
	remedy.CheckCandidates:    "{check --candidates $1}",
	remedy.StateOfExport:      "name a full export with --export",
	remedy.StateUnconfirmed:   "leave --confirm out, and confirm the findings by a second check or by mend",
	remedy.RenewState:         "check a full export again, with --export and --state-out, and go on from the new state",

	remedy.ReleaseByValue:    "{release --write | $1 $2}",
	remedy.ReleaseByKey:      "{release --write --key $2 | $1}",
	remedy.WaitOrReserved:    "wait until then, or release it with --reserved",
	remedy.ReleaseReserved:   "if nobody is signing up with the value now, release the lock with --reserved",
	remedy.CreateWith:        "create it with at least $1 (--to)",
	remedy.CountBy:           "use --by to change its value",
	remedy.GiveReason:        "give one, with --reason on the command line; nothing was sent",
	remedy.AddWriteUnsent:    "add --write, or set write = true for the connection in the config; nothing was sent",
	remedy.NameCheckedLayout: "use the same config, --layout and accepted answers as the check",
	remedy.NamePlannedLayout: "use the same config, --layout and accepted answers as the plan; nothing was sent",
	remedy.RemoveMark:        "`tallylock journal --resolve` removes it, or the next release replaces it",
	remedy.OtherJournal:      "choose another with --journal",
	remedy.OtherJournalPlace: "tallylock writes a change to the journal before it sends the change; choose another place with --journal",
	remedy.NoJournal:         "the file may not be a journal, or has another encoding: restore it, or choose another with --journal",
	remedy.TrustJournal:      "check that the keys in these lines are right; to use the journal as it is, add --trust-journal; nothing was sent",
	remedy.ForgetLines:       "look at the table, remove the lines of this change from the journal's file, then run `tallylock journal --prune AGE --trust-journal`",
}

// inserts matches the places in a remedy's sentence that Do fills: arguments and commands.
var inserts = regexp.MustCompile(`\{[^}]+\}|\$\d`)

// Do says what a person can do. It is empty if the remedy is empty.
func Do(r remedy.Remedy) string {
	text := inserts.ReplaceAllStringFunc(remedies[r.Code], func(at string) string {
		if at[0] == '$' {
			return argument(r, at[1])
		}
		return command(r, at[1:len(at)-1])
	})
	switch r.Code {
	case remedy.LogIn, remedy.LogInSSO, remedy.LogInSSOAgain:
		if profile := argument(r, '1'); profile != "" {
			text += " --profile " + phrase.ShellWord(profile)
		}
	}
	return text
}

// argument returns an argument of a remedy. digit is the argument's number, from '1'. A remedy can lack an argument if
// somebody has edited the journal. Then the result is empty.
func argument(r remedy.Remedy, digit byte) string {
	if n := int(digit - '1'); n < len(r.Args) {
		return r.Args[n]
	}
	return ""
}

// command writes a command of a remedy. Its values are behind "|".
func command(r remedy.Remedy, text string) string {
	before, after, _ := strings.Cut(text, "|")
	words, values := strings.Fields(before), strings.Fields(after)
	for _, all := range [][]string{words, values} {
		for n, word := range all {
			if word[0] == '$' {
				all[n] = argument(r, word[1])
			}
		}
	}
	if r.Code == remedy.ReleaseByValue {
		words = append(words, scopeFlags(r.Args[min(2, len(r.Args)):])...)
	}
	if r.Table != "" {
		words = append(words, "--table", r.Table)
	}
	return CommandLine(append(words, r.Place...), values...)
}
