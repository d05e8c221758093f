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
	ServeDemo        Code = "serve demo"         // serve the demo's tables at an address
	NameTable        Code = "name table"         // name the table
	NameKeys         Code = "name keys"          // name the key attributes of an export's table
	TryTable         Code = "try table"          // name a table that the doctor can try
	OtherRegion      Code = "other region"       // the Region has no tables
	TryWriting       Code = "try writing"        // have the doctor try a transaction
	PrintPolicy      Code = "print policy"       // the policy that allows what failed: the role
	PrintWritePolicy Code = "print write policy" // the policy that allows changes: the role
)

// Remedy is what a person can do.
type Remedy struct {
	Code Code
	Args []string
	// Table is the table that a command is about. Place says how a command reaches its
	// connection: the flags that ui gave to Connect.
	Table string
	Place []string
}

// Of returns the remedy of a code.
func Of(code Code, args ...string) Remedy { return Remedy{Code: code, Args: args} }
