git init --quiet --bare $GIT/team/skills.git
loadout init --new ~/seed
loadout new api-review --tag backend --description "Reviews changes of the public API. Use before an endpoint is merged."
loadout new db-migrations --tag backend --description "Writes safe database migrations. Use when a table changes."
git -C ~/seed add skills
git -C ~/seed commit --quiet --message "Add two skills"
git -C ~/seed remote add origin https://git.example.com/team/skills.git
loadout sync --push
rm -rf ~/seed ~/.config/loadout
git init --quiet ~/shop
mkdir -p ~/shop/src
