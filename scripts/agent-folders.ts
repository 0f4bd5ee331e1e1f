import { AGENTS } from '../src/agents/rules/agents.ts'

/** The page `docs/agent-folders.md`: one row for each agent and its folders. */
export function agentFolders(): string {
  const rows = AGENTS.map(({ id, aliases = [], label, userFolder, projectFolder }) => {
    const names = [id, ...aliases].map((name) => `\`${name}\``).join(', ')
    return `| ${names} | ${label} | ${userFolder ? `\`~/${userFolder}\`` : 'none'} | \`${projectFolder}\` |\n`
  })
  return HEAD + rows.join('')
}

const HEAD = `# Agents and their folders

The agents that Loadout can install skills for, and where each of them looks. Any of the names works on the command line.
\`loadout agents\` lists those of your machine. Loadout finds your folder for an agent in this order:

1. \`targets.<id>.path\` in [\`config.json\`](settings.md#configjson);
2. \`$CLAUDE_CONFIG_DIR/skills\` for \`claude\`, \`$CODEX_HOME/skills\` for \`codex\`, if the variable is an absolute path;
3. the table. \`~/.config\` is \`$XDG_CONFIG_HOME\` if that is set.

Agents with the same folder share one copy. \`npm run docs\` writes this page.

| names | agent | your folder | in a project |
| --- | --- | --- | --- |
`
