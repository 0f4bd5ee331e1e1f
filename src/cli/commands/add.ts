import type { CandidateView, ImportResult, Outcome, ProjectOutcome, SkillOffer } from '../../loadout.ts'
import { listed } from '../../text/count.ts'
import { shellWord } from '../../text/printable.ts'
import { type Finding, LoadoutError, type Report } from '../../text/trouble.ts'
import { AGENT_FLAG, DRY_RUN_FLAG, defineCommand, SCOPE_FLAGS, SOURCE_FLAGS } from '../command.ts'
import { alignRows, count, lines, printableLine, type Screen, WOULD, wrap } from '../screen.ts'
import { askWhich, leftOutLines, offerRows } from './import.ts'
import { askAndRepeat, equipAsking, printProject } from './installs.ts'
import { DEFAULT_PLACE } from './library.ts'

interface Added extends Omit<ImportResult, 'adopted'>, Outcome {
  /** As typed. */
  source: string
  project?: string
  /** The agents that got something. */
  agents: string[]
}

export const add = defineCommand({
  name: 'add',
  summary: 'install skills from a repository, folder or archive',
  details:
    'Takes owner/repo, a web address, a git URL, a folder, a .tar.gz, a .zip, or a plugin or marketplace of Claude Code\n' +
    '(plugin@marketplace); without a source it lists what is on this machine. Creates the library if there is none,\n' +
    'imports the chosen skills in one commit, and installs them for the agents that are on this machine. A skill that can\n' +
    'act is installed after you have read what it can do and allowed it. Repeating the command changes nothing.\n' +
    'With --all, further words are further sources.',
  args: [
    {
      name: 'source',
      summary: 'owner/repo, web address, git URL, folder, .tar.gz, .zip or plugin@marketplace',
      complete: 'file',
    },
    { name: 'skills', summary: 'only these: names, folders or plugins; with --all: more sources', rest: 'names' },
  ],
  flags: {
    all: SOURCE_FLAGS.all,
    ...AGENT_FLAG,
    ref: SOURCE_FLAGS.ref,
    yes: { kind: 'switch', summary: 'ask nothing; if something needs an answer, exit with 3' },
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: async (input, loadout): Promise<Report<Added | ProjectOutcome | Here>> => {
    if (input.request.source === undefined) {
      const plugins = await loadout.skills.listPlugins({})
      const { value } = await loadout.skills
        .listCandidates({ project: input.request.project })
        .catch((error: unknown): Report<CandidateView[]> => {
          if (error instanceof LoadoutError && error.code === 'CONFIG_NOT_FOUND') return { value: [], findings: [] }
          throw error
        })
      return { value: { plugins, loose: value.filter(({ state }) => state === 'new').length }, findings: [] }
    }
    const { source, skills, all, project, ref, targets, dryRun, yes } = input.request
    const { control } = input
    const ask = yes ? undefined : input.ask

    // An unknown agent stops everything here. One that is off is wanted, because it is named.
    const named = (targets ?? []).flatMap((ids) => ids.split(',')).filter((id) => id !== 'all' && id !== '')
    if (named.length > 0) await loadout.agents.switch({ ids: named, isOn: true, dryRun: true })

    const more = all ? skills : []
    const names = skills.length === 0 || all ? undefined : skills
    const choose = all ? undefined : (offers: readonly SkillOffer[]) => askWhich(offers, ask)
    if (project !== undefined) {
      const { signal } = control
      const first = await loadout.skills.addToProject({
        source,
        project,
        names,
        choose,
        ref,
        agents: targets,
        dryRun,
        ...control,
      })
      return askAndRepeat(first, ask, loadout, () => loadout.skills.installProject({ project, signal }))
    }
    const create = dryRun ? undefined : DEFAULT_PLACE
    const carrying = { names, choose, ref, create, project, dryRun, ...control }
    const report = await loadout.skills
      .import({ source, ...carrying })
      .catch(async (error: unknown): Promise<Report<ImportResult>> => {
        // People also write the name of a skill that the library has.
        const isName = error instanceof LoadoutError && error.code === 'FILE_NOT_FOUND' && /^[a-z0-9-]+$/.test(source)
        const known = isName ? await loadout.skills.inspect({ name: source }).catch(() => undefined) : undefined
        if (known === undefined) throw error
        const none = { imported: [], refused: [], leftOut: [], adopted: [], isDryRun: dryRun ?? false }
        return { value: { ...none, unchanged: [source, ...(names ?? [])] }, findings: [] }
      })
    for (const other of more) {
      const { value: next, findings } = await loadout.skills.import({ source: other, ...carrying })
      report.findings.push(...findings)
      for (const key of ['imported', 'unchanged', 'refused', 'leftOut'] as const) {
        report.value = { ...report.value, [key]: [...report.value[key], ...next[key]] }
      }
      report.value.created ??= next.created
    }
    const { adopted: _, waiting: __, ...imported } = report.value
    const value = { ...imported, source, project, operations: [], agents: [] }
    const added = imported.imported.map(({ name }) => name)
    const chosen = dryRun ? imported.unchanged : [...added, ...imported.unchanged]
    if (chosen.length === 0) return { value, findings: report.findings }

    if (named.length > 0) await loadout.agents.switch({ ids: named, isOn: true, dryRun })
    const request = { names: chosen, targets, project, dryRun, ...control }
    const { value: outcome, findings } = await equipAsking(request, ask, loadout)
    const { value: known } = await loadout.agents.list({})
    const agents = known.filter(({ id }) => outcome.operations.some(({ agent }) => agent === id))
    const again = ', then repeat this command'
    return {
      value: { ...value, ...outcome, agents: agents.map(({ label }) => label) },
      findings: [
        ...report.findings.filter(({ code }) => code !== 'QUARANTINED'),
        ...findings.map((each) => (each.code === 'QUARANTINED' ? { ...each, hint: `${each.hint}${again}` } : each)),
      ],
    }
  },
  print: (value, screen, findings) => {
    if ('plugins' in value) return printHere(value)
    if (!('imported' in value)) return printAdded(value, screen, findings)
    const { imported, unchanged, offers, leftOut, operations, waiting = [], agents, isDryRun, created } = value
    const word = shellWord(value.source)
    const library = created !== undefined && `New library: ${printableLine(created)}`
    if (offers !== undefined) {
      return lines(
        offerRows(offers),
        '',
        screen.strong(`${count(offers.length, 'skill')} found`),
        leftOutLines(leftOut),
        printableLine(`Choose some of them by name, or --all: loadout add ${word} <name> …`),
      )
    }
    const added = imported.map(({ name }) => name)
    const installed = [...new Set(operations.map(({ skill }) => skill))]
    const commits = [...new Set(imported.flatMap(({ commit }) => commit ?? []))].map((commit) => commit.slice(0, 7))
    const project = value.project === undefined ? undefined : shellWord(value.project)
    const undo = project === undefined ? 'loadout undo' : `loadout remove ${added.join(' ')} --project ${project}`
    const isQuiet = installed.length + waiting.length === 0
    return lines(
      isDryRun && WOULD,
      isDryRun && added.length > 0 && printableLine(`  add ${listed(added)} to the library and install`),
      !isDryRun && isQuiet && (added.length + unchanged.length === 0 ? 'Nothing was added.' : 'Already up to date.'),
      installed.length > 0 &&
        wrap(`${isDryRun ? '  install' : 'Installed'} ${listed(installed)} for ${agents.join(', ')}`, 0).map(
          screen.strong,
        ),
      waiting.length > 0 && wrap(`In the library, but not installed: ${listed(waiting.map(({ skill }) => skill))}`, 0),
      leftOutLines(leftOut),
      library,
      commits.length > 0 &&
        `${commits.length === 1 ? 'Commit' : 'Commits'} ${commits.join(', ')}. Take ${commits.length === 1 ? 'it' : 'the last one'} back: ${printableLine(undo)}`,
    )
  },
  isWaiting: (value) =>
    !('plugins' in value) && (value.isUndecided === true || (value.waiting !== undefined && !value.isDryRun)),
})

/** What is on this machine already, and could be added. */
interface Here {
  plugins: { name: string; isInstalled: boolean; url?: string }[]
  /** Skills in the agents' folders that no library has. */
  loose: number
}

function printHere({ plugins, loose }: Here): string {
  return lines(
    'Where from? For example: loadout add anthropics/skills',
    plugins.length > 0 && 'On this machine, for loadout add <name>:',
    alignRows(plugins.map(({ name, isInstalled, url = '' }) => [`  ${name}`, isInstalled ? 'installed' : '', url])).map(
      printableLine,
    ),
    loose > 0 && `${count(loose, 'skill')} in the agents’ folders: loadout import --all --adopt takes them over`,
  )
}

/** What was added to the manifest of a project. */
function printAdded(value: ProjectOutcome, screen: Screen, findings: readonly Finding[]): string {
  const { offers, moves } = value
  if (offers !== undefined) {
    return lines(
      offerRows(offers),
      '',
      screen.strong(`${count(offers.length, 'skill')} found`),
      'Choose some of them by name after the source, or --all.',
    )
  }
  const rows = moves.map(({ kind, name, source, to = '' }) => [
    `  ${kind}`,
    name,
    `${source}${to && ` at ${to.slice(0, 7)}`}`,
  ])
  const added = moves.filter(({ kind }) => kind === 'added').map(({ name }) => name)
  const undo = `Take it back: loadout remove ${added.length > 8 ? '<names>' : added.join(' ')} --project .`
  return (
    lines(alignRows(rows).map(printableLine)) +
    printProject(value, screen, findings) +
    lines(added.length > 0 && !value.isDryRun && undo)
  )
}
