git init --quiet ~/shop
cd ~/shop
mkdir -p .claude/loadout
loadout init --new ~/skills
loadout new notes --description "Drafts release notes."
loadout new deploy --description "Ships a build to production."
git -C ~/skills add .
git -C ~/skills commit --quiet -m "Add two skills"
cat >.claude/loadout/steps.md <<'END'
---
id: steps
summary: How a release is cut
keywords: [release]
---

Tag it.
END
loadout rules build
