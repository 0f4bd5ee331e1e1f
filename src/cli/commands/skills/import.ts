import type { CandidateView, ImportResult } from '../../../app/loadout.ts'
import type { Report } from '../../../domain/shared/finding.ts'
import { shellWord } from '../../../domain/shared/shell-word.ts'
import { defineCommand } from '../../command.ts'
import { alignRows, count, lines, printableLine, type Screen, wrap } from '../../screen.ts'
import { COMMIT_FLAGS, commitChoice, DRY_RUN_FLAG, SCOPE_FLAGS } from '../../skill-flags.ts'

type Shown = Candidates | ImportResult

interface Candidates {
  candidates: CandidateView[]
  /** As it was asked for; absent for the user's own. */
  project?: string
}

export const importSkills = defineCommand({
  name: 'import',
  summary: 'bring skills into the library',
  details:
    'Takes a folder with a SKILL.md, a folder of such folders, an archive made by share, or a git URL.\n' +
    'Without a source it lists what lies in the folders of the agents and is not in the library.',
  args: [{ name: 'source', summary: 'folder, .tar.gz or git URL', complete: 'file' }],
  flags: {
    all: { kind: 'switch', summary: 'everything that lies in the folders of the agents' },
    targets: { kind: 'list', value: 'a,b', summary: 'agents it supports, if it does not say so' },
    subfolder: { kind: 'text', value: 'path', summary: 'only this part of the source' },
    adopt: { kind: 'switch', summary: 'the imported copies become managed installs' },
    ...COMMIT_FLAGS,
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: async ({ args, flags, onProgress, signal }, loadout): Promise<Report<Shown>> => {
    const { project, targets, subfolder, adopt } = flags
    const { source } = args
    if (source === undefined && !flags.all) {
      const { value, findings } = await loadout.listCandidates({ project })
      return { value: { candidates: value, ...(project === undefined ? {} : { project }) }, findings }
    }
    const [commit, dryRun] = [commitChoice(flags), flags['dry-run']]
    return loadout.importSkills({ source, project, targets, subfolder, adopt, commit, dryRun, onProgress, signal })
  },
  print: (value: Shown, screen) =>
    'candidates' in value ? printCandidates(value, screen) : printImport(value, screen),
})

function printCandidates({ candidates, project }: Candidates, screen: Screen): string {
  if (candidates.length === 0) return lines('Every skill in the folders of the agents is in the library.')
  const free = candidates.filter(({ problem }) => problem === undefined)
  // Copies in several folders are taken over together, or the others would stay behind.
  const scope = project === undefined ? '' : ` --project ${shellWord(project || '.')}`
  const single = free.find(({ paths }) => paths.length === 1)?.paths[0]
  return lines(
    candidates.flatMap(({ name, description, targets, paths, problem }) => [
      `  ${screen.strong(printableLine(name))}  ${targets.join(', ')}${problem === undefined ? '' : `  ${screen.alert('blocked')}`}`,
      ...wrap(problem ?? description, 4),
      ...paths.map((path) => screen.faint(`    ${printableLine(path)}`)),
    ]),
    '',
    `${screen.strong(count(candidates.length, 'skill'))} outside the library`,
    single !== undefined && printableLine(`loadout import ${shellWord(single)} --adopt${scope}`),
    free.length > 1 && printableLine(`loadout import --all --adopt${scope} brings in all ${free.length}`),
    free.length === 1 && single === undefined && printableLine(`loadout import --all --adopt${scope}`),
  )
}

function printImport({ imported, adopted, isDryRun }: ImportResult, screen: Screen): string {
  if (imported.length === 0) return lines('Nothing was imported.')
  const rows = imported.map(({ name, targets, commit }) => [
    `  import${isDryRun ? '' : 'ed'}`,
    name,
    targets.join(', '),
    commit === undefined ? 'not committed' : `commit ${commit.slice(0, 7)}`,
  ])
  const missing = imported.map(({ name }) => name).filter((name) => !adopted.some(({ skill }) => skill === name))
  return lines(
    isDryRun && 'Nothing was changed. This would be done:',
    alignRows(isDryRun ? rows.map((row) => row.slice(0, 3)) : rows),
    alignRows(adopted.map(({ skill, agent, root }) => [`  ${isDryRun ? 'adopt' : 'adopted'}`, skill, agent, root])),
    !isDryRun && missing.length > 0 && screen.faint(`loadout equip ${missing.slice(0, 5).join(' ')}`),
  )
}
