package embedded

// replicas are the Regions in which a table has others, and whether they are
// strongly consistent with it.
type replicas struct {
	regions []string
	strong  bool
}

// replicaParameters make a table with replicas. They are of this engine alone:
// on AWS UpdateTable adds replicas. Nothing is replicated here.
type replicaParameters struct {
	Replicas               []struct{ RegionName string }
	MultiRegionConsistency string
}

func (r replicaParameters) replicas() replicas {
	out := replicas{strong: r.MultiRegionConsistency == "STRONG"}
	for _, one := range r.Replicas {
		out.regions = append(out.regions, one.RegionName)
	}
	return out
}

// replicaDescriptions are what DescribeTable says of replicas.
type replicaDescriptions struct {
	GlobalTableVersion     string               `json:",omitempty"`
	MultiRegionConsistency string               `json:",omitempty"`
	Replicas               []replicaDescription `json:",omitempty"`
}

type replicaDescription struct{ RegionName, ReplicaStatus string }

func (r replicas) describe() replicaDescriptions {
	var d replicaDescriptions
	for _, name := range r.regions {
		d.GlobalTableVersion, d.MultiRegionConsistency = "2019.11.21", "EVENTUAL"
		d.Replicas = append(d.Replicas, replicaDescription{name, "ACTIVE"})
	}
	if r.strong {
		d.MultiRegionConsistency = "STRONG"
	}
	return d
}

// checkTransacted refuses a transaction of a table that has none.
func (t *table) checkTransacted() error {
	if !t.replicas.strong {
		return nil
	}
	return invalid("Transactional operations are not supported on tables with multi-Region strong consistency: %s", t.name)
}
