perl -pi -e 's/Taxes are/Taxes and tips are/' .agents/knowledge/refunds/KNOWLEDGE.md
