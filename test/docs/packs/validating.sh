perl -pi -e 's/policy.md#L5/policy.md#L50/' .agents/knowledge/refunds/compiled/facts.md
