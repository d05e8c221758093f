// Package remedy has codes for the next step that a person can take, after an error or after a check that
// left something out. A Remedy is a code and its arguments. ui/say puts a Remedy into words, because only
// ui knows flags and commands. This package imports nothing.
package remedy

// Code is the code of a remedy. The comment of each code lists its arguments after "args".
type Code string

// The codes for a connection.
const (
	Text             Code = "text"               // any remedy that needs no flag or command; args: a sentence
	AddWrite         Code = "add write"          // allow writes on the connection
	NameRegion       Code = "name region"        // name an AWS Region
	CorrectRegion    Code = "correct region"     // correct the AWS Region, which does not exist
	NameProfile      Code = "name profile"       // name a profile of the AWS config, or make one
	ListProfiles     Code = "list profiles"      // list the profiles of the AWS config
	LogIn            Code = "log in"             // log in with the AWS CLI; args: the profile, or ""
	LogInSSO         Code = "log in sso"         // log in to the SSO session; args: the profile, or ""
	LogInSSOAgain    Code = "log in again"       // log in to an ended SSO session; args: the profile, or ""
	AllowTable       Code = "allow table"        // allow the connection to read the table $1
	NameTable        Code = "name table"         // name the table
	NameKeys         Code = "name keys"          // name the key attributes of an export's table
	TryTable         Code = "try table"          // name a table for the tests of the doctor
	OtherRegion      Code = "other region"       // name another Region: this one has no tables
	TryWriting       Code = "try writing"        // allow writes, so that the doctor tries a transaction
	PrintPolicy      Code = "print policy"       // print the policy that allows the failed action; args: the role
	PrintWritePolicy Code = "print write policy" // print the policy that allows changes
)

// The codes for a table and its layout.
const (
	NameLayout          Code = "name layout"            // name the layout, or describe it in the config
	NameLayoutOr        Code = "name layout or"         // name or describe the layout; args: a third way, as text
	NameLayoutOrWait    Code = "name layout or wait"    // name the layout of an empty table, or wait for items
	NameOtherLayout     Code = "name other layout"      // name another layout, since the named one does not fit
	NameItsLayout       Code = "name its layout"        // name the layout with which an item was written
	SeeAndNameLayout    Code = "see and name layout"    // see the findings, then name or describe the layout
	CorrectOrNameLayout Code = "correct or name layout" // correct the layout in the config, or name another
	CorrectLayout       Code = "correct layout"         // correct the layout in the config
	DescribeLayout      Code = "describe layout"        // describe a recognised layout in the config
	AllowScan           Code = "allow scan"             // print the policy that allows sampling the table
	ListCounters        Code = "list counters"          // list the counters: the table has nothing else
	CorrectKey          Code = "correct key"            // correct the key or the attribute of a counter
	AskWho              Code = "ask who"                // see the holder of a value; args: the value
	AddScope            Code = "add scope"              // give the scope that a lock's key needs; args: name, example
	AddScopeOrKey       Code = "add scope or key"       // give the scope or the key of an account; args: name, example
	LeaveScope          Code = "leave scope"            // leave the scope out; args: the reason
	LeaveAlsoIn         Code = "leave also in"          // leave --also-in out: locks and accounts share a table
	MoveAnswers         Code = "move answers"           // make the file of people's answers writable, or move it
	SeeAnswers          Code = "see answers"            // see the ids of people's answers
	Accept              Code = "accept"                 // accept a guessed layout; args: its hash
	AcceptAndSayTables  Code = "accept and say tables"  // accept; name other account tables; args: hash, lock table
	SayTables           Code = "say tables"             // name other account tables; args: the layout's hash
	Answer              Code = "answer"                 // answer a question; args: constraint+items+attribute
	AnswerElsewhere     Code = "answer elsewhere"       // answer for another table; args: like Answer, then the table
)

// The codes for checks.
const (
	MoreMemory         Code = "more memory"           // give the check more memory; args: how much
	MoreMemoryForAll   Code = "more memory for all"   // give the check memory to look into everything; args: how much
	SomeMoreMemory     Code = "some more memory"      // give the check more memory
	AcceptOrMoreMemory Code = "accept or more memory" // accept the layout, or give more memory; args: how much
	CheckAgain         Code = "check again"           // check again, perhaps with more memory
	CheckQuietly       Code = "check quietly"         // check again while less is written, or with more memory
	ConfirmFull        Code = "confirm full"          // read all accounts again
	OtherTemp          Code = "other temp"            // make room for temporary files, or choose another place
	RepairAndCheck     Code = "repair and check"      // repair the findings, then check again
	LeftOut            Code = "left out"              // ask the check for the findings that it left out
	NameSQLResult      Code = "name sql result"       // name the file with the result of this table's SQL
	PrintSQLAgain      Code = "print sql again"       // print and run the SQL again on all files of the export
	CheckCandidates    Code = "check candidates"      // check the candidates that SQL found; args: their file
	StateOfExport      Code = "state of export"       // check a full export, to keep its state
	StateUnconfirmed   Code = "state unconfirmed"     // check only the export, to keep its state
	RenewState         Code = "renew state"           // check a full export again, and keep its state
)

// The codes for changes.
const (
	ReleaseByValue    Code = "release by value"    // release a lock; args: constraint, value, NAME=VALUE of each scope
	ReleaseByKey      Code = "release by key"      // release a lock; args: constraint, key as JSON
	WaitOrReserved    Code = "wait or reserved"    // wait until a reserved lock is free, or release it now
	ReleaseReserved   Code = "release reserved"    // release a lock that may be reserved
	CreateWith        Code = "create with"         // create a missing counter; args: its least number
	CountBy           Code = "count by"            // change a tally by an amount, not to a number
	GiveReason        Code = "give reason"         // give a reason, which the config requires
	AddWriteUnsent    Code = "add write unsent"    // allow writes on the connection; nothing was sent
	NameCheckedLayout Code = "name checked layout" // name the layout of the check that found the problem
	NamePlannedLayout Code = "name planned layout" // name the layout with which a change was planned
	RemoveMark        Code = "remove mark"         // remove the mark of a release from a lock
	OtherJournal      Code = "other journal"       // choose another journal
	OtherJournalPlace Code = "other journal place" // choose a place where the journal can be written
	NoJournal         Code = "no journal"          // restore an unreadable journal, or choose another
	TrustJournal      Code = "trust journal"       // trust a journal in which somebody has changed lines
	ForgetLines       Code = "forget lines"        // remove the unusable lines of a change from the journal
)

// Remedy is the step that a person can take next.
type Remedy struct {
	Code Code     `json:"code"`
	Args []string `json:"args,omitempty"`
	// Table is the table that a command is about. Place has the flags that select the connection in a
	// command. They are the flags that ui gave to Connect.
	Table string   `json:"table,omitempty"`
	Place []string `json:"place,omitempty"`
}

// Of returns a remedy with this code and these arguments.
func Of(code Code, args ...string) Remedy { return Remedy{Code: code, Args: args} }
