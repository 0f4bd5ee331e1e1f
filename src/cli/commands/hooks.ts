import { HOOK_HOSTS } from '../../display-rules.ts'
import type { AgentsMd, HookChanges } from '../../loadout.ts'
import type { Finding } from '../../text/trouble.ts'
import { DRY_RUN_FLAG, defineCommand, LAYER_FLAGS, PROJECT_FLAG, projectFlag } from '../command.ts'
import { alignRows, count, grouped, lines, printableLine, printableText, type Screen, WOULD, wrap } from '../screen.ts'

const AGENTS = HOOK_HOSTS.map(({ agent }) => agent)
const EVENTS = [...new Set(HOOK_HOSTS.flatMap(({ events }) => Object.values(events)))]
const AGENT_NAMES = [{ name: 'agents', summary: AGENTS.join(', '), rest: 'names', complete: AGENTS }] as const

const HOOK_FLAGS = {
  ...projectFlag('your own settings'),
  ...DRY_RUN_FLAG,
} as const

export const hookCommands = [
  defineCommand({
    name: 'connect',
    aliases: { 'hooks install': ['--no-mcp'] },
    summary: 'let your agents ask Loadout, by hooks and MCP',
    details:
      'Adds hooks and the MCP server to the settings of the agents you name, or of every enabled agent found on this machine.\n' +
      'For OpenCode, Kilo Code and Pi it writes a plugin. An agent without hooks gets a list of what it can load in the\n' +
      'AGENTS.md of the project. Nothing else in the files changes, and hooks remove deletes exactly what was added.\n' +
      'With --project it adds only hooks, for everyone who works there; they do nothing on machines without loadout.',
    args: AGENT_NAMES,
    flags: {
      ...HOOK_FLAGS,
      mcp: { kind: 'switch', summary: 'name the MCP server too (default)', no: 'add only the hooks' },
    },
    run: ({ request }, loadout) => loadout.agents.installHooks({ ...request, mcp: request.mcp ?? true }),
    print: (value, screen) =>
      printChanges(
        value,
        screen,
        value.changes.some(({ part }) => part === 'mcp')
          ? 'Everything is installed already.'
          : value.changes.length === 0
            ? 'Nothing was changed.'
            : 'The hooks are already installed.',
      ),
  }),
  defineCommand({
    name: 'hooks status',
    summary: 'show whether the hooks are installed and can run',
    args: AGENT_NAMES,
    flags: PROJECT_FLAG,
    run: ({ request }, loadout) => loadout.agents.statusOfHooks(request),
    print: ({ hooks }, screen, findings) => {
      const rows = alignRows(hooks.map(({ label, scope, state }) => [label, scope, state]))
      const absent = hooks.filter(({ state, scope }) => state === 'not installed' && scope === 'user')
      return lines(
        hooks.flatMap(({ path, events, lastAnswer, lastTrouble }, at) => [
          screen.strong(rows[at] ?? ''),
          screen.faint(`  ${printableLine(path)}`),
          ...(events.length > 0 ? wrap(`asked at      ${events.join(', ')}`, 2) : []),
          ...(events.length > 0 && lastAnswer !== undefined ? [`  last answer   ${lastAnswer}`] : []),
          ...(events.length > 0 && lastTrouble !== undefined ? wrap(`last trouble  ${lastTrouble}`, 2) : []),
          ...describeProblems(
            findings.filter(({ subject }) => subject === path),
            screen,
          ),
        ]),
        // Problems of files that all hooks read, not of one agent's settings.
        describeProblems(
          findings.filter(({ subject }) => hooks.every(({ path }) => path !== subject)),
          screen,
        ),
        '',
        findings.length > 0 && screen.strong(`${count(findings.length, 'thing')} to do`),
        absent.length > 0 &&
          `to install what is missing: loadout connect ${absent.map(({ agent }) => agent).join(' ')}`,
        findings.length + absent.length === 0 && screen.good('Nothing needs action.'),
      )
    },
    printsFindings: true,
  }),
  defineCommand({
    name: 'hooks remove',
    summary: 'remove what connect added to the settings of agents, and to AGENTS.md',
    details: 'Everything else in the files stays, byte for byte.',
    args: AGENT_NAMES,
    flags: HOOK_FLAGS,
    run: ({ request }, loadout) => loadout.agents.removeHooks(request),
    print: (value, screen) => printChanges(value, screen, 'No hooks of Loadout are installed.'),
  }),
]

function describeProblems(findings: readonly Finding[], screen: Screen): string[] {
  return findings.flatMap(({ message, hint = '' }) => [
    ...wrap(`PROBLEM  ${message}`, 2).map((line) => line.replace('PROBLEM', screen.alert('PROBLEM'))),
    `    to do: ${printableLine(hint)}`,
  ])
}

/** The changed lines first, then the result. */
function printChanges({ changes, isDryRun }: HookChanges, screen: Screen, calm: string): string {
  const made = changes.filter(({ change }) => change !== 'none')
  if (made.length === 0) return lines(calm, ...changes.map(({ path }) => screen.faint(`  ${printableLine(path)}`)))
  return lines(
    made.flatMap(({ path, diff }) => [screen.strong(printableLine(path)), printableText(diff), '']),
    isDryRun && WOULD,
    alignRows(
      made.map(({ change, label, scope, part, path }) => [
        `  ${change}`,
        label,
        part === 'hooks' ? scope : part === 'mcp' ? 'MCP' : part,
        path,
      ]),
    ),
    made.flatMap(({ untilTheyRun }) => (untilTheyRun === undefined ? [] : wrap(untilTheyRun, 0))),
    !isDryRun &&
      made.some(({ untilTheyRun }) => untilTheyRun !== undefined) &&
      'loadout hooks status checks whether they can run',
  )
}

export const hook = defineCommand({
  name: 'hook',
  keepsPaths: true,
  summary: 'answer an event of an agent; reads JSON from stdin',
  details:
    'loadout connect sets it up. On any error it exits with 0 and prints nothing, so that no prompt is delayed;' +
    ' hooks.log in the state folder has the reason.',
  args: [
    { name: 'agent', summary: 'the agent that runs it', required: true, complete: AGENTS },
    { name: 'event', summary: 'the agent’s name for the event', required: true, complete: EVENTS },
  ],
  flags: {
    budget: { kind: 'number', value: 'tokens', summary: 'maximum size of the answer to one prompt (default: 1,200)' },
  },
  run: async ({ request, readStdin }, loadout) => {
    return { value: await loadout.context.answerHook({ ...request, input: readStdin() }), findings: [] }
  },
  print: ({ reply }) => reply,
})

export const agentsMd = defineCommand({
  name: 'agents-md',
  keepsPaths: true,
  summary: 'write an index into AGENTS.md, for agents that only read files',
  details:
    'Writes a block between two markers into AGENTS.md, with one line for each item that can be loaded. It lists only\n' +
    'items of the project, because the file is shared; name a layer, or use --all, for a private file. The order is\n' +
    'fixed: core, packs, the rest by phases and keywords, manual entries. Without a flag it prints the block.',
  args: [{ name: 'file', summary: 'the file (default: AGENTS.md of the project)', complete: 'file' }],
  flags: {
    write: { kind: 'switch', summary: 'write the block into the file' },
    check: { kind: 'switch', summary: 'only check whether the block is up to date' },
    remove: { kind: 'switch', summary: 'remove the block; the rest stays byte for byte' },
    budget: { kind: 'number', value: 'tokens', summary: 'maximum size of all lines (default: 1000)' },
    all: { kind: 'switch', summary: 'include every layer, not only the project' },
    ...LAYER_FLAGS,
  },
  run: ({ args, flags }, loadout) => {
    const { write, check, remove, ...request } = flags
    const task = check ? 'check' : remove ? 'remove' : write ? 'write' : undefined
    return loadout.context.writeAgentsMd({
      ...request,
      task,
      file: args.file,
      layers: loadout.knowledge.nameLayers(flags),
    })
  },
  print: (value, screen) => {
    const { block, state, file = '', listed, left, tokens } = value
    if (state === undefined) return `${block}\n`
    const size = `${count(listed, 'line')}, about ${grouped(tokens)} tokens${left > 0 ? `; ${grouped(left)} did not fit` : ''}`
    const isThere = state === 'created' || state === 'written' || state === 'unchanged' || state === 'current'
    return lines(`${screen.strong(SAID[state])}  ${printableLine(file)}`, isThere && `  ${size}`)
  },
})

const SAID: Record<NonNullable<AgentsMd['state']>, string> = {
  created: 'created',
  written: 'written',
  unchanged: 'unchanged',
  current: 'up to date',
  stale: 'out of date',
  missing: 'no block in',
  removed: 'removed from',
  deleted: 'deleted, it had no other content:',
  absent: 'no block in',
}
