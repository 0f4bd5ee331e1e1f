rm -r docs task.md answer.json .agents/knowledge/shop-docs
