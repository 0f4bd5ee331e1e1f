loadout init --new ~/skills
loadout agents enable copilot cursor
loadout new release-notes --description "Drafts release notes from merged changes. Use when a release is cut."
loadout new api-review --description "Reviews an interface. Use when an API changes."
