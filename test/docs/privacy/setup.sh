git init --quiet ~/shop
cd ~/shop
mkdir -p .claude/loadout
loadout init --new ~/skills
loadout new notes --description "Drafts notes. Use when a release is cut."
loadout install notes --target claude
loadout connect claude
cat >.claude/loadout/steps.md <<'END'
---
id: steps
summary: How a release is cut
keywords: [release]
---

Tag it.
END
loadout rules build
loadout agents-md --write
loadout plan "cut a release" --load
