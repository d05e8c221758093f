// Package remedy names what a person can do about an error, or about a part that a check left
// out: a code and its arguments. ui/words puts it into words, for only ui knows flags and
// commands. It imports nothing.
package remedy

// Code says what to do. The comment of each code lists its arguments.
type Code string

// The codes for a connection.
const (
	Text             Code = "text"               // a sentence without flags and commands: the sentence
	AddWrite         Code = "add write"          // allow writes on the connection
	NameRegion       Code = "name region"        // name an AWS Region
	CorrectRegion    Code = "correct region"     // the AWS Region does not exist
	NameProfile      Code = "name profile"       // name a profile of the AWS config, or make one
	ListProfiles     Code = "list profiles"      // see which profiles the AWS config has
	LogIn            Code = "log in"             // log in with the AWS CLI: the profile, or ""
	LogInSSO         Code = "log in sso"         // log in to the SSO session: the profile, or ""
	LogInSSOAgain    Code = "log in again"       // the SSO session has ended: the profile, or ""
	NameTable        Code = "name table"         // name the table
	NameKeys         Code = "name keys"          // name the key attributes of an export's table
	TryTable         Code = "try table"          // name a table that the doctor can try
	OtherRegion      Code = "other region"       // the Region has no tables
	TryWriting       Code = "try writing"        // have the doctor try a transaction
	PrintPolicy      Code = "print policy"       // the policy that allows what failed: the role
	PrintWritePolicy Code = "print write policy" // the policy that allows changes: the role
)

// The codes for a table and its layout.
const (
	NameLayout          Code = "name layout"            // name the layout, or describe it in the config
	NameLayoutOr        Code = "name layout or"         // the same, or a third way: a sentence
	NameLayoutOrWait    Code = "name layout or wait"    // the table is empty
	NameOtherLayout     Code = "name other layout"      // the named one does not fit
	NameItsLayout       Code = "name its layout"        // name the layout that an item was written by
	SeeAndNameLayout    Code = "see and name layout"    // see what was found, then name or describe the layout
	CorrectOrNameLayout Code = "correct or name layout" // correct the layout in the config, or name another
	CorrectLayout       Code = "correct layout"         // correct the layout in the config
	DescribeLayout      Code = "describe layout"        // the layout was recognised: describe it in the config
	AllowScan           Code = "allow scan"             // the policy that allows to sample the table
	ListCounters        Code = "list counters"          // the table has counters only
	CorrectKey          Code = "correct key"            // the item of a counter has no such key or attribute
	AskWho              Code = "ask who"                // see who holds a value: the value
	AddScope            Code = "add scope"              // the key of a lock needs more: its name, an example
	AddScopeOrKey       Code = "add scope or key"       // the key of an account needs more: its name, an example
	LeaveScope          Code = "leave scope"            // no key takes a scope: why
	LeaveAlsoIn         Code = "leave also in"          // the locks are in the table of their accounts
	MoveAnswers         Code = "move answers"           // the file of the answers cannot be written
	SeeAnswers          Code = "see answers"            // see the ids of what people have said
	Accept              Code = "accept"                 // accept what is only guessed: its hash
	AcceptAndSayTables  Code = "accept and say tables"  // also say which tables put locks there: hash, locks' table
	SayTables           Code = "say tables"             // it is accepted, but for these tables: its hash
	Answer              Code = "answer"                 // answer a question: constraint, items and attribute in one
	AnswerElsewhere     Code = "answer elsewhere"       // the items are in another table: the same, and the table
)

// The codes for checks.
const (
	MoreMemory         Code = "more memory"           // give the check more memory: how much
	MoreMemoryForAll   Code = "more memory for all"   // it looked into a part only: how much it needs
	SomeMoreMemory     Code = "some more memory"      // give the check more memory
	AcceptOrMoreMemory Code = "accept or more memory" // a guessed layout takes memory: how much
	CheckAgain         Code = "check again"           // check again, perhaps with more memory
	CheckQuietly       Code = "check quietly"         // check again while less is written, or with more memory
	ConfirmFull        Code = "confirm full"          // read all accounts again
	LeftOut            Code = "left out"              // the check was asked for other findings
	NameSQLResult      Code = "name sql result"       // the candidates are of other SQL
	PrintSQLAgain      Code = "print sql again"       // the candidates are of a part of the export
	CheckCandidates    Code = "check candidates"      // check what SQL has found: the file
)

// The codes for changes.
const (
	ReleaseByValue    Code = "release by value"    // release a lock: constraint, value, then NAME=VALUE of each scope
	ReleaseByKey      Code = "release by key"      // release a lock: constraint, key as JSON
	WaitOrReserved    Code = "wait or reserved"    // a lock is reserved for a time: wait, or release it before
	ReleaseReserved   Code = "release reserved"    // a lock may be reserved: release it all the same
	CreateWith        Code = "create with"         // a counter is missing: the least number for a new one
	CountBy           Code = "count by"            // a tally is changed by a number
	GiveReason        Code = "give reason"         // the config asks for a reason
	AddWriteUnsent    Code = "add write unsent"    // allow writes on the connection; nothing was sent
	NameCheckedLayout Code = "name checked layout" // name the layout that found it
	NamePlannedLayout Code = "name planned layout" // name the layout that a change was planned by
	RemoveMark        Code = "remove mark"         // a lock has the mark of a release
	OtherJournal      Code = "other journal"       // choose another journal
	OtherJournalPlace Code = "other journal place" // the journal cannot be written
	NoJournal         Code = "no journal"          // no line of the journal can be read
	TrustJournal      Code = "trust journal"       // somebody has changed lines of the journal
	ForgetLines       Code = "forget lines"        // the lines of a change cannot be used
)

// Remedy is what a person can do.
type Remedy struct {
	Code Code     `json:"code"`
	Args []string `json:"args,omitempty"`
	// Table is the table that a command is about. Place says how a command reaches its
	// connection: the flags that ui gave to Connect.
	Table string   `json:"table,omitempty"`
	Place []string `json:"place,omitempty"`
}

// Of returns the remedy of a code.
func Of(code Code, args ...string) Remedy { return Remedy{Code: code, Args: args} }
