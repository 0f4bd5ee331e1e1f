git init --quiet --bare $GIT/team/knowledge.git
git clone --quiet https://git.example.com/team/knowledge.git ~/seed 2> /dev/null
mkdir -p ~/seed/knowledge/house-voice/compiled
cat >~/seed/knowledge/house-voice/KNOWLEDGE.md <<'END'
---
name: house-voice
description: How we write to customers, in letters and replies. Use when a text goes to a customer.
type: brand-persona
status: ready
profile: wiki-first
trust: official
runtime:
  mode: persona
---

# House voice

## Context map

- Always: `compiled/voice.md`
END
cat >~/seed/knowledge/house-voice/compiled/voice.md <<'END'
# Voice

Friendly, short, without exclamation marks.
END
cat >~/seed/knowledge/house-voice/compiled/boundaries.md <<'END'
# Boundaries

Never blame the customer.
END
git -C ~/seed add .
git -C ~/seed commit --quiet --message "Add the house voice"
git -C ~/seed push --quiet
rm -rf ~/seed
mkdir -p ~/.config/loadout
echo '{ "organization": { "packs": ["https://git.example.com/team/knowledge.git"] } }' > ~/.config/loadout/config.json
