loadout init --new ~/skills
loadout new release-notes --targets "${1:-claude,codex}" --description "Drafts release notes from merged changes. Use when a release is cut."
