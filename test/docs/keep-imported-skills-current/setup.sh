git init --quiet $GIT/design/skills
cd $GIT/design/skills
mkdir -p skills/release-notes
cat >skills/release-notes/SKILL.md <<'END'
---
name: release-notes
description: Drafts release notes. Use when a release is cut.
---
# Release notes

1. Read the merged changes.
2. Group them.
3. Write one line for each.
END
git add .
git commit --quiet --message "Add release notes"
cd
loadout init --new ~/skills
loadout import https://git.example.com/design/skills --all --targets claude
loadout install release-notes --target claude
