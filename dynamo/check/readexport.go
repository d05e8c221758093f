package check

import (
	"slices"
	"time"
)

// verifyInputs makes sure that the export and the candidates are of this check's tables.
func verifyInputs(r *run) error {
	if err := r.findExports(); err != nil || r.o.Candidates == nil {
		return err
	}
	return r.o.Candidates.verify(r)
}

// findExports finds the export of each table.
func (r *run) findExports() error {
	if r.o.Export == nil {
		return nil
	}
	if r.o.Export.Alone() {
		r.report.note("%s", r.o.Export.Inferred())
	}
	for _, from := range r.sources {
		e, err := r.o.Export.Of(r.t, from.name, len(r.sources) > 1)
		if err != nil {
			return err
		}
		from.export = e
		r.report.note("items of %s are those of %s: what was written since then is not looked for", from.name, e)
		if e.At.IsZero() {
			if e.Listed() {
				r.report.note("the summary of the export is missing: its table and its time are not checked")
			} else {
				r.report.note("the manifests of the export are missing: whether files are missing is not checked")
			}
			if r.o.exportOnly() && slices.ContainsFunc(r.rules.all, func(of *rule) bool { return of.Reserved.For > 0 }) {
				r.report.note("the export does not tell its time: whether a lock is still reserved is judged by today's clock")
			}
		}
	}
	return nil
}

// asOf returns the time of the items that are judged: that of the export, if nothing else is
// read and it has manifests; otherwise now.
func asOf(r *run) time.Time {
	if e := r.sources[0].export; r.o.exportOnly() && e != nil && !e.At.IsZero() {
		return e.At
	}
	return time.Now()
}
