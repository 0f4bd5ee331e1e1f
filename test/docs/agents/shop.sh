mkdir -p ~/shop/.claude/loadout
cd ~/shop
git init --quiet
cat >README.md <<'END'
# Shop

Sells tea.
END
cat >.claude/loadout/release-steps.md <<'END'
---
id: release-steps
summary: How a release is cut
keywords: [release, publish]
---

# How a release is cut

Tag main, then publish.
END
loadout rules build
