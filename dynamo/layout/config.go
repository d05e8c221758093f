package layout

// Config is a layout as the config file and the presets write it.
type Config struct {
	Name   string   `toml:"name"`             // what --layout takes
	Tables []string `toml:"tables,omitempty"` // account tables; empty: only where --layout names it
	// WrittenIn is the only Region in which a table with replicas is written.
	WrittenIn string          `toml:"written_in,omitempty"`
	Accounts  []AccountConfig `toml:"account,omitempty"`
	Counters  []CounterConfig `toml:"counter,omitempty"`
	// Ignore names suggested constraints and counters that are not listed.
	Ignore []string `toml:"ignore,omitempty"`
}

// AccountConfig is one kind of account item.
type AccountConfig struct {
	Model       string               `toml:"model,omitempty"`
	PK          string               `toml:"pk"`
	SK          string               `toml:"sk,omitempty"`
	Is          *DiscriminatorConfig `toml:"is,inline,omitempty"`
	Version     string               `toml:"version,omitempty"`
	Constraints []ConstraintConfig   `toml:"constraint,omitempty"`
	Derived     []DerivedConfig      `toml:"derived,omitempty"`
	origin      Origin
}

// DiscriminatorConfig is an attribute that tells items of a kind from others.
type DiscriminatorConfig struct {
	Attribute string `toml:"attribute"`
	Value     string `toml:"value"`
}

func (d *DiscriminatorConfig) discriminator() Discriminator {
	if d == nil {
		return Discriminator{}
	}
	return Discriminator(*d)
}

// ConstraintConfig is one uniqueness rule.
type ConstraintConfig struct {
	Name      string `toml:"name"`
	Attribute string `toml:"attribute"`
	Table     string `toml:"table,omitempty"`
	// Unique: no locks keep the values, and no two accounts may hold one.
	Unique bool `toml:"unique,omitempty"`
	// Scope are attributes of the account: no two accounts may hold one value if their scopes are
	// equal, too. Only a rule without locks has it.
	Scope []string `toml:"scope,omitempty"`
	PK    string   `toml:"pk,omitempty"`
	SK    string   `toml:"sk,omitempty"`
	// Also are other forms of a lock's key: an account needs one lock, of any form.
	Also      []LockKeyConfig      `toml:"also,inline,omitempty"`
	Is        *DiscriminatorConfig `toml:"is,inline,omitempty"`
	Normalise []string             `toml:"normalise,omitempty"`
	Owner     string               `toml:"owner,omitempty"`
	// OwnerForm is how a lock writes its owner: "user#{id}".
	OwnerForm string `toml:"owner_form,omitempty"`
	Index     string `toml:"index,omitempty"`
	Moves     bool   `toml:"moves,omitempty"`
	TwoSteps  bool   `toml:"two_steps,omitempty"`
	Shared    bool   `toml:"shared,omitempty"`
	// Lapses: locks may expire while their accounts stay.
	Lapses bool `toml:"lapses,omitempty"`
	// ReservedFor is how long a lock may stand before its account does, and ReservedSince
	// the lock's attribute that says when it was put.
	ReservedFor   string `toml:"reserved_for,omitempty"`
	ReservedSince string `toml:"reserved_since,omitempty"`
	// Holders hold values although they are no accounts, and NoHolders only look as if.
	Holders   []HolderConfig `toml:"holders,inline,omitempty"`
	NoHolders []Place        `toml:"no_holders,inline,omitempty"`
	// AlsoIn are other tables whose applications put locks into Table. Nil: nobody has said.
	AlsoIn *[]string `toml:"also_in,omitempty"`
	// NowhereElse: nothing outside the layout holds the values.
	NowhereElse bool `toml:"nowhere_else,omitempty"`
	origin      Origin
}

// LockKeyConfig is another form of a lock's key.
type LockKeyConfig struct {
	PK string `toml:"pk"`
	SK string `toml:"sk,omitempty"`
}

// HolderConfig is a Holder.
type HolderConfig struct {
	Table     string `toml:"table"`
	Items     string `toml:"items"`
	Attribute string `toml:"attribute"`
	PutsLock  bool   `toml:"puts_lock,omitempty"`
	Exact     bool   `toml:"exact,omitempty"`
}

// CounterConfig is one counter. Numbers are text, so that none is rounded.
type CounterConfig struct {
	Name      string               `toml:"name,omitempty"`
	PK        string               `toml:"pk"`
	SK        string               `toml:"sk,omitempty"`
	Is        *DiscriminatorConfig `toml:"is,inline,omitempty"`
	Attribute string               `toml:"attribute"`
	Semantics string               `toml:"semantics"`
	Start     string               `toml:"start,omitempty"`
	Step      string               `toml:"step,omitempty"`
	Offset    string               `toml:"offset,omitempty"`
	Max       string               `toml:"max,omitempty"`
	Modulo    string               `toml:"modulo,omitempty"`
	// Resets is how often a schedule sets the counter back: hourly, daily, weekly, monthly or yearly.
	Resets string      `toml:"resets,omitempty"`
	IDs    []IDsConfig `toml:"ids,omitempty"`
	origin Origin
}
