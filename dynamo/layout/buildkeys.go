package layout

import "tallylock/dynamo/mistake"

func keyTemplates(pk, sk string) (Template, Template, error) {
	p, err := ParseTemplate(pk)
	if err != nil {
		return p, p, within("pk", "pk", err)
	}
	s, err := ParseTemplate(sk)
	if err != nil {
		return p, s, within("sk", "sk", err)
	}
	if n := len(p.Variables()) + len(s.Variables()); n > room-2 {
		return p, s, mistake.Errorf("pk", "pk %q and sk %q have %d variables together, and %d is all that they may have", pk,
			sk, n, room-2)
	}
	return p, s, nil
}

// plainTemplates are those of keys from which everything can be read: of all but locks.
func plainTemplates(pk, sk string) (Template, Template, error) {
	p, s, err := keyTemplates(pk, sk)
	switch {
	case err != nil:
	case p.digested() != nil:
		err = mistake.Errorf("pk", "pk %q: {sha256:…} is for the keys of locks alone", pk)
	case s.digested() != nil:
		err = mistake.Errorf("sk", "sk %q: {sha256:…} is for the keys of locks alone", sk)
	}
	return p, s, err
}
