perl -pi -e 's/policy.md#L50/policy.md#L5/' .agents/knowledge/refunds/compiled/facts.md
