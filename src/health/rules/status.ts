import { HOOK_HOSTS } from '../../agents/rules/hook-hosts.ts'
import type { InstalledProgram, RecordedFrom } from '../../agents/rules/recorded-rules.ts'
import type { SyncState } from '../../skills/rules/sync-decision.ts'
import type { Regression } from '../../skills/rules/test-results.ts'
import type { Cost, Money } from '../../text/cost.ts'

/** One agent on this machine; with a problem, nothing else is known. */
export interface AgentStatus {
  agent: string
  label: string
  problem?: string
  /** Its program on this machine; undefined if none was found. */
  program?: InstalledProgram
  /** The version of the rules that were used, and the day of the recording; undefined if unknown. */
  recordedFrom?: RecordedFrom
  skills?: number
  /** Listed with their whole description. */
  seen?: number
  /** Listed by their first line, because they have no description. */
  undescribed?: number
  cut?: number
  /** Listed without a description, or not at all. */
  dropped?: number
  /** Dropped or cut because the list is full. */
  crowded?: number
  /** Listed by name because the settings say so. */
  named?: number
  /** Taken out of the list by `see --fix`: a hook names them. */
  hooked?: number
  /** Hidden by another of the same name, or practically so. */
  doubles?: number
  unreadable?: number
  /** The maximum size of its list. */
  room?: { size: number; unit: string }
  /** The cost of a session start: the list of skills and the instruction files. */
  tokens?: number
  /** What these tokens cost; undefined without a price. */
  money?: Money
  /** Instruction files that are longer than the agent reads. */
  cutFiles?: { path: string; bytes: number; read: number }[]
}

export type LibraryStatus =
  | { problem: string }
  | (SyncState & {
      problem?: undefined
      /** Equipped, and never used according to the log; undefined if the log has no use at all. */
      unused?: string[]
      /** Its state relative to the remote, in one sentence. */
      stands: string
    })

export interface NextStep {
  why: string
  command: string
}

export interface MachineStatus {
  agents: AgentStatus[]
  /** Agents whose program is installed, but that have no folder yet. */
  neverRan: { agent: string; label: string; program: InstalledProgram }[]
  library: LibraryStatus | undefined
  /** What agents read of skills, payloads and packs in so many days, according to the usage log. */
  usage: { days: number; starts: number; cost: Cost }
  /** Agents with our hooks in their settings. */
  hooks: string[]
  /** Packs that wait for an approval. */
  packs: string[]
  /** Packs whose later changes are trusted. */
  following: string[]
  /** Packs that agents get as they were approved: their files have changed since. */
  changed: string[]
  /** How many packs agents can read. */
  readable: number
  /** Prompts that no longer open their skill, or now do where they should not, by the kept results. */
  regressed: Regression[]
  next: NextStep[]
}

/** What the next steps depend on. */
type Known = Pick<MachineStatus, 'agents' | 'library' | 'hooks' | 'packs' | 'regressed'> & { usage: { starts: number } }

/** The most useful commands for this machine, the most urgent first. */
export function nextSteps(status: Known, project: string | undefined): NextStep[] {
  const scope = project === undefined ? '' : ' --project .'
  const { agents, library, packs } = status
  const known = library?.problem === undefined ? library : undefined
  // Fewer prove nothing about what is never used.
  const unused = status.usage.starts < 30 ? 0 : (known?.unused?.length ?? 0)
  const waiting = known?.waiting.length ?? 0
  const full = agents.filter(({ crowded = 0 }) => crowded > 0)
  const which = full.length === 1 ? ` ${full[0]?.agent}` : ''
  const lacking = full.reduce((sum, { crowded = 0 }) => sum + crowded, 0)
  const [broken] = status.regressed
  const unhooked = agents.find(
    ({ agent }) => HOOK_HOSTS.some((host) => host.agent === agent) && !status.hooks.includes(agent),
  )
  // What waits for the user is always told; advice only where there is room.
  const waits = [
    ...librarySteps(status),
    ...[
      ...(packs.length > 0
        ? [
            {
              why: `${packs.length === 1 ? '1 pack waits' : `${packs.length} packs wait`} for your yes`,
              command: packs.length === 1 ? `loadout approve pack:${packs[0]}` : 'loadout packs list',
            },
          ]
        : []),
      ...(full.length > 0
        ? [
            {
              why: `${full.length === 1 ? `the list of ${full[0]?.label} is` : `${full.length} lists are`} full: ${lacking} ${lacking === 1 ? 'skill lacks its' : 'skills lack their'} description`,
              command: `loadout see${which} --fix${scope}`,
            },
          ]
        : []),
      ...(broken === undefined
        ? []
        : [
            {
              why: `${broken.skill} fails ${prompts(status.regressed.filter(({ skill }) => skill === broken.skill).length)} since ${broken.agent} ${broken.since.version}`,
              command: `loadout test ${broken.skill}`,
            },
          ]),
      ...(waiting > 0
        ? [
            {
              why: `${waiting === 1 ? '1 skill waits' : `${waiting} skills wait`} for your yes`,
              command: 'loadout approve --waiting',
            },
          ]
        : []),
    ],
  ]
  const { behind = 0, dirty = 0, ahead = 0 } = known ?? {}
  const advice = [
    ...[
      ...(dirty > 0 ? [{ why: `${files(dirty)} not committed in the library`, command: 'loadout doctor' }] : []),
      ...(behind === 0 && dirty === 0 && ahead > 0
        ? [{ why: 'the library has changes that are not shared', command: 'loadout sync' }]
        : []),
      ...(unused > 0
        ? [{ why: `${skills(unused)} never used`, command: `loadout remove --copies --unused --dry-run${scope}` }]
        : []),
      ...agents
        .filter(({ undescribed = 0 }) => undescribed > 0)
        .map(({ agent, undescribed = 0 }) => ({
          why: `${undescribed === 1 ? '1 skill has' : `${undescribed} skills have`} no description`,
          command: `loadout see ${agent}${scope}`,
        })),
      ...(unhooked === undefined
        ? []
        : [{ why: `let ${unhooked.label} get what a prompt needs`, command: `loadout connect ${unhooked.agent}` }]),
    ],
    ...firstSteps(status),
  ]
  return [...waits.slice(0, 5), ...advice.slice(0, Math.max(0, 3 - waits.length))]
}

function librarySteps({ library }: Known): NextStep[] {
  if (library === undefined) return []
  if (library.problem !== undefined) return [{ why: 'the library cannot be used', command: 'loadout doctor' }]
  const { merges, behind, drift, edited } = library
  const names = [...new Set(edited.flatMap(({ skill, edit }) => (edit === 'kept' ? [skill] : [])))]
  const waits = merges.length === 1 ? 'a merge waits for you' : `${merges.length} merges wait for you`
  return [
    ...(merges.length > 0 ? [{ why: waits, command: 'loadout merge' }] : []),
    ...(names.length > 0
      ? [{ why: `${edits(names.length)} only in an installed copy`, command: `loadout adopt ${names[0]}` }]
      : []),
    ...(behind > 0 ? [{ why: `the library is ${commits(behind)} behind`, command: 'loadout sync --dry-run' }] : []),
    ...(behind === 0 && drift > 0 ? [{ why: copies(drift), command: 'loadout sync --dry-run' }] : []),
  ]
}

function firstSteps({ agents, library }: Known): NextStep[] {
  const hasSkills = agents.some(({ skills: count = 0 }) => count > 0)
  const begin = { why: 'skills from a repository, kept in git', command: 'loadout add <owner/repo>' }
  const take = { why: 'keep the skills that are here in git', command: 'loadout import --all --adopt' }
  const task = { why: 'what a task needs, in any project', command: 'loadout context "<task>"' }
  if (library !== undefined) return [task]
  return hasSkills ? [take, task] : [begin, task]
}

const commits = (count: number) => (count === 1 ? '1 commit' : `${count} commits`)
const files = (count: number) => (count === 1 ? '1 file is' : `${count} files are`)
const copies = (count: number) => (count === 1 ? '1 copy is not up to date' : `${count} copies are not up to date`)
const edits = (count: number) => (count === 1 ? '1 skill was edited' : `${count} skills were edited`)
const skills = (count: number) => (count === 1 ? '1 equipped skill was' : `${count} equipped skills were`)
const prompts = (count: number) => (count === 1 ? '1 prompt' : `${count} prompts`)
