import { AGENTS } from '../src/agents/rules/agents.ts'

const TABLE = /^\| names \| agent \| your folder \| in a project \|\n(?:\|.*\n)+/m

/** `docs/skills.md` with one row for each agent and its folders. */
export function withAgentFolders(page: string): string {
  if (!TABLE.test(page)) throw new Error('docs/skills.md has no table of agents')
  const rows = AGENTS.map(({ id, aliases = [], label, userFolder, projectFolder }) => {
    const names = [id, ...aliases].map((name) => `\`${name}\``).join(', ')
    return `| ${names} | ${label} | ${userFolder ? `\`~/${userFolder}\`` : 'none'} | \`${projectFolder}\` |\n`
  })
  const head = '| names | agent | your folder | in a project |\n| --- | --- | --- | --- |\n'
  return page.replace(TABLE, () => head + rows.join(''))
}
