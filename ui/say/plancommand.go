package say

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/remedy"
)

// PlanCommand returns the tallylock command that plans the same change on the same connection. It is empty if there is
// no such command.
func PlanCommand(p *plan.Plan) string {
	t, r := p.Live.Table, p.Live.Request
	if t == nil || NoCommand(t.Connection()) != "" {
		return ""
	}
	switch {
	case r.Receipt != "":
		return ConnectionCommand(t.Connection(), []string{"undo", "--write"}, r.Receipt)
	case r.Finding != nil:
	case p.Kind == plan.KindRelease && p.Live.Release != nil:
		return releaseCommand(p)
	case r.Counter != "" && counterFlags[p.Kind] != "":
		number := r.To
		if p.Kind == plan.KindBump || p.Kind == plan.KindReserve {
			number = r.By
		}
		return TableCommand(t, []string{"bump", counterFlags[p.Kind], number, "--write"}, r.Counter)
	case p.Kind == plan.KindValue, p.Kind == plan.KindDeleteAccount:
		key, ok := t.Schema.KeyOf(r.Account)
		switch {
		case !ok:
		case p.Kind == plan.KindValue:
			words := []string{"change", "--write", "--from", p.Before} // as the account has it: r.Value may be a digest
			return TableCommand(t, words, key.String(), r.Constraint, r.To)
		default:
			return TableCommand(t, []string{"delete-account", "--write"}, key.String())
		}
	}
	return ""
}

// counterFlags maps kinds of changes of a counter to the flag of bump.
var counterFlags = map[plan.Kind]string{
	plan.KindBump: "--by", plan.KindReserve: "--reserve", plan.KindRaise: "--to", plan.KindLower: "--lower",
}

// releaseCommand returns the command of a release. It is empty if no command names the lock.
func releaseCommand(p *plan.Plan) string {
	t, words := p.Live.Table, []string{"release", "--write"}
	do, err := dynamo.ReleaseRemedy(t, p.Live.Release.Rel)
	if err != nil {
		return ""
	}
	if p.Live.Request.Reserved {
		words = append(words, "--reserved")
	}
	if do.Code == remedy.ReleaseByValue {
		return TableCommand(t, slices.Concat(words, scopeFlags(do.Args[2:])), do.Args[:2]...)
	}
	return TableCommand(t, append(words, "--key", do.Args[1]), do.Args[0])
}
