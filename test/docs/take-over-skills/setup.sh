mkdir -p .claude/skills/api-review .codex/skills/api-review .claude/skills/commit-style .codex/skills/commit-style .claude/skills/migrations
tee .claude/skills/api-review/SKILL.md >.codex/skills/api-review/SKILL.md <<'END'
---
name: api-review
description: Reviews changes of the public API. Use before an endpoint is merged.
---

# API review

1. Read the diff.
END
tee .claude/skills/commit-style/SKILL.md >.codex/skills/commit-style/SKILL.md <<'END'
---
name: commit-style
description: How commits are worded here.
---

# Commits

1. Say the effect.
END
echo '2. One idea in each.' >> .codex/skills/commit-style/SKILL.md
cat >.claude/skills/migrations/SKILL.md <<'END'
---
name: db-migrations
description: Writes safe database migrations. Use when a table changes.
---

# Migrations

1. Never drop a column.
END
mkdir -p $GIT/drafts/skills/changelog $GIT/drafts/skills/triage
cat >$GIT/drafts/skills/changelog/SKILL.md <<'END'
---
name: changelog
description: Keeps a changelog. Use after every change that users notice.
---

# Changelog

1. One line per effect.
END
cat >$GIT/drafts/skills/triage/SKILL.md <<'END'
---
name: triage
description: Sorts new bug reports. Use when reports come in.
---

# Triage

1. Reproduce it.
END
cd $GIT/drafts
git init --quiet
git add .
git commit --quiet --message "Two skills"
git clone --quiet --bare . ../community/skills.git
cd
