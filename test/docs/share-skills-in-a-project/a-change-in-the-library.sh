git clone --quiet https://git.example.com/team/skills.git ~/other
echo "3. Check the error codes." >> ~/other/skills/api-review/SKILL.md
git -C ~/other commit --quiet --all --message "Check the error codes"
git -C ~/other push --quiet
rm -rf ~/other
