git config --global user.email member@example.com 2>/dev/null || true
mkdir -p ~/shop/.claude/loadout
cd ~/shop
git init -q
cat >.claude/loadout/release.md <<'END'
---
id: release-pipeline
keywords: [release, tag]
---

Tag first. Then publish.
END
loadout rules build
