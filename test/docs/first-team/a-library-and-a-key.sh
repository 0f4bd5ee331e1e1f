git config --global user.name Admin
mkdir -p ~/.ssh
ssh-keygen -q -t ed25519 -N '' -C '' -f ~/.ssh/id_ed25519
loadout init --new ~/skills
loadout new release-notes --description "Drafts release notes from merged changes."
