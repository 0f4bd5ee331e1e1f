mkdir -p .claude/skills/vendor-sdk
cat >.claude/skills/vendor-sdk/SKILL.md <<'END'
---
name: vendor-sdk
description: How to call the SDK of the vendor.
---

# Vendor SDK

Ask for a token first.
END
echo '{ "version": 1, "skills": { "vendor-sdk": { "source": "vendor/agent-skills" } } }' > skills-lock.json
