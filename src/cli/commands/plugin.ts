import { PLUGIN_FORMS } from '../../display-rules.ts'
import { ALL_FLAG, DRY_RUN_FLAG, defineCommand, NAMES_ARGUMENT, PROJECT_FLAG } from '../command.ts'
import { count, firstRows, lines, printableLine, WOULD } from '../screen.ts'
import { publishArchive } from './library.ts'

const AGENTS = PLUGIN_FORMS.map(({ agent }) => agent)

export const publishCommands = [
  publishArchive,
  defineCommand({
    name: 'publish plugin',
    aliases: { 'plugin build': [] },
    summary: 'write plugins of skills, hooks and the MCP server',
    details:
      'Writes a folder for each agent, and the list that its plugin command reads: commit everything to a repository.\n' +
      'The same skills give the same bytes. Never touches files that Loadout did not write.',
    args: NAMES_ARGUMENT,
    flags: {
      tags: { name: 'tag', kind: 'list', value: 'a,b', summary: 'skills with one of these tags' },
      profile: { kind: 'text', value: 'name', summary: 'the skills of a profile' },
      ...ALL_FLAG,
      bare: { kind: 'switch', summary: 'no skills: only hooks and the MCP server' },
      name: { kind: 'text', value: 'name', summary: 'name of the plugin (default: loadout)' },
      description: { kind: 'text', value: 'text', summary: 'one sentence about it' },
      author: { kind: 'text', value: 'name', summary: 'its author (default: its name)' },
      release: { kind: 'text', value: 'version', summary: 'its version (default: derived from its content)' },
      agents: { name: 'for', kind: 'list', value: 'a,b', summary: `agents (default: ${AGENTS.join(',')})` },
      out: { kind: 'text', value: 'folder', summary: 'where to write it (default: <name>-plugin)' },
      ...DRY_RUN_FLAG,
    },
    run: ({ request }, loadout) => loadout.skills.buildPlugin(request),
    print: ({ name, folder, agents, skills, written, removed, unchanged, isDryRun }, screen) => {
      const changes = [...written.map((path) => `  write   ${path}`), ...removed.map((path) => `  remove  ${path}`)]
      if (changes.length === 0) return lines(`${printableLine(folder)} is up to date: ${count(unchanged, 'file')}`)
      return lines(
        isDryRun && WOULD,
        isDryRun && firstRows(changes.map((change) => [change])),
        `${screen.strong(name)}  ${count(skills.length, 'skill')}, hooks and the MCP server for ${agents.join(', ')}`,
        `  ${printableLine(folder)}  ${count(written.length, 'file')} written, ${removed.length} removed, ${unchanged} unchanged`,
        !isDryRun && 'Its INSTALL.md has the install commands.',
      )
    },
  }),
  defineCommand({
    name: 'publish manifest',
    summary: 'write the manifest of a project for another manager: apm.yml, skills-lock.json or marketplace.json',
    details: 'Names what the other format cannot say. Never replaces a file.',
    args: [
      {
        name: 'format',
        summary: 'apm.yml, skills-lock.json or marketplace.json',
        required: true,
        complete: ['apm.yml', 'skills-lock.json', 'marketplace.json'],
      },
    ],
    flags: {
      out: { kind: 'text', value: 'file', summary: 'where to write it (default: in the project)' },
      ...PROJECT_FLAG,
    },
    run: ({ args, flags }, loadout) => loadout.skills.exportManifest({ file: args.format, ...flags }),
    print: ({ path, skills }) => lines(`wrote ${printableLine(path)}: ${count(skills, 'skill')}`),
  }),
]
