mkdir -p ~/shop/.claude/loadout
cd ~/shop
git init -q
cat >.claude/loadout/rules.md <<'END'
---
id: house-rules
priority: core
---

Tests before every commit.
END
cat >.claude/loadout/release.md <<'END'
---
id: release-pipeline
keywords: [release, tag]
---

Tag first. Then publish.
END
cat >.claude/loadout/vendor.md <<'END'
---
id: vendor-sdk
priority: manual
---

The sandbox wants another key.
END
loadout rules build
