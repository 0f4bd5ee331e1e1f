git init --quiet ~/shop
cd ~/shop
mkdir -p .claude/loadout
loadout init --new ~/skills
loadout new notes --description "Drafts notes. Use when a release is cut."
loadout equip notes --target claude
loadout hooks install claude
cat >.claude/loadout/steps.md <<'END'
---
id: steps
summary: How a release is cut
keywords: [release]
---

Tag it.
END
loadout index build
loadout agents-md --write
loadout plan "cut a release" --load
