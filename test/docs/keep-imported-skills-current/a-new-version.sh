cd $GIT/design/skills
sed -i 's/Read the merged changes./Read the merged changes since the last tag./' skills/release-notes/SKILL.md
git commit --quiet --all --message "Say since when"
cd
