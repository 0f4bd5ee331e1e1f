perl -ni -e 'print unless /knowledge_pack/' .agents/knowledge/refunds/compiled/facts.md
