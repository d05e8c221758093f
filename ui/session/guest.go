package session

// Guest is a person who uses the inspector over SSH. The program runs on a server, with the server's credentials and
// files. A nil Guest is a person at a terminal of their own, who may do everything.
type Guest struct {
	// Name is the person's name in the server's config. The journal has this name.
	Name string
	Role Role
}

// Role says what a guest may do.
type Role string

// The roles. A viewer reads, and asks an operator for changes. An operator also makes changes.
const (
	Viewer   Role = "viewer"
	Operator Role = "operator"
)

// WhyNoFiles says why the session reads and writes no files of the server; empty if it may.
func (g *Guest) WhyNoFiles() string {
	if g == nil {
		return ""
	}
	return "an SSH session has no files of its own"
}

// WhyViewer says why a viewer may not do what changes tables, layouts or answers; empty if the person may.
func (g *Guest) WhyViewer() string {
	if g == nil || g.Role == Operator {
		return ""
	}
	return "your role is viewer; an operator can do this"
}
