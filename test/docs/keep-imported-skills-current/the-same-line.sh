cd $GIT/design/skills
sed -i 's/Write one line for each./Write two lines for each./' skills/release-notes/SKILL.md
git commit --quiet --all --message "Write two lines"
cd
