for name in pdf release-notes; do
  mkdir -p ~/.claude/skills/$name
  printf -- '---\nname: %s\ndescription: Works with %s. Use when somebody asks for it.\n---\n\n# How\n\nOne step at a time.\n' \
    $name $name >~/.claude/skills/$name/SKILL.md
done
call() { echo "$2" | sed "s|CWD|$PWD|" | loadout hook claude "$1"; }
for session in one two three; do
  call SessionStart "{\"session_id\":\"$session\",\"cwd\":\"CWD\",\"hook_event_name\":\"SessionStart\",\"source\":\"startup\"}"
done
call PostToolUse '{"session_id":"one","cwd":"CWD","hook_event_name":"PostToolUse","tool_name":"Skill","tool_input":{"skill":"pdf"}}'
mkdir -p ~/.config/loadout
echo '{ "prices": { "currency": "USD", "agents": { "claude": 3 } } }' >~/.config/loadout/config.json
