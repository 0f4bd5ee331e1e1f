import { listed } from '../../../text/count.ts'
import { findEncodedTexts } from '../../../text/sensitive/views.ts'
import { compareText, isRecord, isTextList } from '../../../text/values.ts'
import type { Skill } from '../skill.ts'
import { findAppearance, lookOf } from './appearance.ts'
import { findCommands } from './commands.ts'
import { findLeaks } from './leaks.ts'
import { findOrders } from './orders.ts'
import { lineCounter, type Spot } from './spots.ts'

/** Something that the user should know before installing a skill. A severe finding needs an approval. */
export interface ReviewFinding extends Pick<Spot, 'severity' | 'rule' | 'message'> {
  path: string
  /** Counted from 1; 0 for the file as a whole. */
  line: number
}

/** One file of a skill, for the review. */
export interface ReviewFile {
  path: string
  isExecutable: boolean
  /** Undefined if it is not text. */
  text: string | undefined
  /** The first bytes of a file that is not text. */
  start?: Uint8Array
  /** Too large to review. */
  isTooLarge?: boolean
}

export interface ReviewInput {
  skill: Skill
  files: readonly ReviewFile[]
  findTwin: FindTwin
  /** Permissions that the user accepted before; undefined if unknown. */
  accepted?: readonly string[] | undefined
}

export interface SkillReview {
  findings: ReviewFinding[]
  isSevere: boolean
  /** What the skill may use without asking. */
  permissions: string[]
}

/** Returns the name of another skill that looks like this one. */
export type FindTwin = (name: string) => string | undefined

/** Prepares the names of a library once, for many calls. */
export function findTwinIn(names: readonly string[]): FindTwin {
  const byLook = new Map<string, Set<string>>()
  for (const name of names) {
    const look = lookOf(name)
    byLook.set(look, (byLook.get(look) ?? new Set()).add(name))
  }
  return (name) => [...(byLook.get(lookOf(name)) ?? [])].find((other) => other !== name)
}

const DESCRIPTION = 'skill.json'

/** Reviews a skill from another author. Finds known dangers; it does not prove that the rest is safe. */
export function reviewSkill({ skill, files, findTwin, accepted }: ReviewInput): SkillReview {
  const permissions = permissionsOf(skill)
  const whole = (severity: ReviewFinding['severity'], rule: ReviewFinding['rule'], path: string, message: string) => {
    return { severity, rule, path, line: 0, message }
  }
  const findings: ReviewFinding[] = files.flatMap((file) => reviewFile(file))
  findings.push(
    ...locate(DESCRIPTION, skill.description, [...findOrders(skill.description), ...findAppearance(skill.description)]),
  )
  const twin = findTwin(skill.name)
  if (twin !== undefined) findings.push(whole('severe', 'look-alike', DESCRIPTION, `its name looks like ${twin}`))
  findings.push(
    ...judgePermissions(permissions, accepted).map(([severity, message]) =>
      whole(severity, 'permissions', DESCRIPTION, message),
    ),
  )
  const sorted = findings.sort(
    (a, b) =>
      RANK[a.severity] - RANK[b.severity] ||
      compareText(a.path, b.path) ||
      a.line - b.line ||
      compareText(a.rule, b.rule),
  )
  return { findings: distinct(sorted), isSevere: sorted.some(({ severity }) => severity === 'severe'), permissions }
}

const RANK = { severe: 0, warning: 1, info: 2 } as const

function distinct(findings: readonly ReviewFinding[]): ReviewFinding[] {
  const seen = new Set<string>()
  return findings.filter(({ rule, path, line }) => {
    const key = `${rule} ${path} ${line}`
    return !seen.has(key) && seen.add(key)
  })
}

function reviewFile({ path, isExecutable, text, start, isTooLarge }: ReviewFile): ReviewFinding[] {
  const note = (severity: ReviewFinding['severity'], rule: ReviewFinding['rule'], message: string): ReviewFinding => {
    return { severity, rule, path, line: 0, message }
  }
  if (isTooLarge) return [note('warning', 'not-read', 'is too large to be looked through')]
  if (text !== undefined && isPointer(text))
    return [note('warning', 'not-fetched', 'is not the file, only a pointer of Git LFS')]
  if (text === undefined) return isProgram(start) ? [note('severe', 'executable', 'is a compiled program')] : []
  const own = isExecutable ? [note('info', 'executable', 'can be run')] : []
  return [...own, ...locate(path, text, findIn(path, text))]
}

/** Whether a text is the pointer that Git LFS leaves for a file that it did not fetch. */
export function isPointer(text: string): boolean {
  return text.startsWith('version https://git-lfs.github.com/spec/v1\n')
}

function locate(path: string, text: string, spots: readonly Spot[]): ReviewFinding[] {
  const lineOf = lineCounter(text)
  return spots.map(({ severity, rule, at, message }) => ({ severity, rule, path, line: lineOf(at), message }))
}

function findIn(path: string, text: string): Spot[] {
  const isCode = !/\.(?:md|mdx|markdown|txt|rst|adoc|html?)$/i.test(path)
  const lineOf = lineCounter(text)
  const hidden = findEncodedTexts(text).flatMap(({ text: decoded, start }) =>
    findCommands(decoded).map((spot): Spot => ({ ...spot, rule: 'hidden-command', at: start })),
  )
  return [
    ...findCommands(text),
    ...hidden,
    ...findLeaks(text, isCode, lineOf),
    ...findAppearance(text),
    ...findOrders(text),
    ...findInstallScripts(path, text),
    ...findAddresses(text),
  ]
}

/** ELF, Windows, and Mach-O of both kinds. */
function isProgram(start: Uint8Array | undefined): boolean {
  const head = Buffer.from(start ?? []).toString('latin1')
  return /^(?:\x7fELF|MZ[\s\S]{20,}|[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]|\xca\xfe\xba\xbe)/.test(head)
}

const ON_INSTALL = ['preinstall', 'install', 'postinstall', 'prepare']

function findInstallScripts(path: string, text: string): Spot[] {
  if (!/(?:^|\/)package\.json$/.test(path)) return []
  try {
    const json: unknown = JSON.parse(text)
    const scripts = isRecord(json) && isRecord(json.scripts) ? json.scripts : {}
    return ON_INSTALL.flatMap((name): Spot[] => {
      const script = scripts[name]
      if (typeof script !== 'string') return []
      const isActive = /\b(?:curl|wget|powershell|base64)\b|https?:|\bnode\s+-e\b|\bpython\d?\s+-c\b|\beval\b/.test(
        script,
      )
      const at = Math.max(0, text.indexOf(`"${name}"`))
      return [
        {
          rule: 'install-script',
          severity: isActive ? 'severe' : 'warning',
          at,
          message: `runs a command on npm install (${name})`,
        },
      ]
    })
  } catch {
    return []
  }
}

/** One finding for each file, with the first few hosts. */
function findAddresses(text: string): Spot[] {
  const hosts = [
    ...new Set([...text.matchAll(/https?:\/\/([\w.-]+\.\w+)/gi)].map((match) => (match[1] ?? '').toLowerCase())),
  ]
  if (hosts.length === 0) return []
  return [
    {
      rule: 'network',
      severity: 'info',
      at: Math.max(0, text.search(/https?:\/\//i)),
      message: `names ${listed(hosts, 3)}`,
    },
  ]
}

/** `allowed-tools` of every agent, as single permissions. */
export function permissionsOf({ metadata }: Skill): string[] {
  const found = Object.values(metadata).flatMap((own) => {
    const tools = own['allowed-tools'] ?? own.allowed_tools ?? own.tools
    if (isTextList(tools)) return tools
    return typeof tools === 'string' ? (tools.match(/[^\s,()]+(?:\([^)]*\))?/g) ?? []) : []
  })
  return [...new Set(found.map((each) => each.trim()))].filter((each) => each !== '').sort(compareText)
}

/** Tools that change files, run commands or use the network. */
const POWERFUL =
  /^(?:\*|Bash|Shell|PowerShell|Write|Edit|MultiEdit|NotebookEdit|WebFetch|Task|Agent|KillShell|mcp__.*)(?:\(|$)/i
const EVERYTHING = /^(?:\*|(?:Bash|Shell|PowerShell)(?:\(\s*(?:\*|:\*|\*:\*)?\s*\))?)$/i

function judgePermissions(
  permissions: readonly string[],
  accepted: readonly string[] | undefined,
): [ReviewFinding['severity'], string][] {
  return permissions.flatMap((tool): [ReviewFinding['severity'], string][] => {
    if (accepted?.includes(tool)) return []
    if (accepted !== undefined)
      return [[POWERFUL.test(tool) ? 'severe' : 'warning', `now also wants to use ${tool} without asking`]]
    return EVERYTHING.test(tool)
      ? [['warning', `wants to run any command without asking (${tool})`]]
      : [['info', `wants to use ${tool} without asking`]]
  })
}
