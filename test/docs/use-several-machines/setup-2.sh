loadout init --new ~/skills
loadout new release-notes --description "Drafts release notes from merged changes. Use when a release is cut."
loadout new db-migrations --description "Writes safe database migrations. Use when a table changes."
git -C ~/skills add skills
git -C ~/skills commit --quiet --message "Add two skills"
loadout install --all
