import { placeOf } from '../machine/folder-identity.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import type { Approval, Decision } from '../machine/rules/approval.ts'
import { answerFacts } from '../machine/rules/gate.ts'
import { keepApproved, Packs, readChoice } from '../packs/catalog.ts'
import { choosePack, isPackPath } from '../packs/rules/gates/catalog.ts'
import { packWord, type TrustedPack } from '../packs/rules/gates/trust.ts'
import { approvePack } from '../packs/sections.ts'
import { answerForSkill, describeCapability, findWaiting, type Shown } from '../skills/gate.ts'
import { answerForRule } from '../skills/project-texts.ts'
import { requireName } from '../skills/rules/skill.ts'
import { openSkills } from '../skills/skill-source.ts'
import { shellWord } from '../text/printable.ts'
import { type Finding, failWith, report, retell } from '../text/trouble.ts'
import { digestOfCommand, openAdapters } from './adapters.ts'
import { ambiguousName, isWithheld, locate } from './sources.ts'

export interface AnswerRequest {
  /**
   * `pack:x`, `adapter:x`, `skill:x`, `rule:x` of a manifest, the path of a pack, or a name that only one kind has. Default: all of `kind`.
   */
  what?: string
  kind?: Approval['kind']
  project?: string | Project
}

export interface ApproveRequest extends AnswerRequest {
  /** Trust later changes of a pack's folder too. */
  follow?: boolean
  /** Everything that waits for an answer, instead of `what`: skills of the library or, with that kind, packs. */
  waiting?: boolean
  /** Of a skill: exactly these lines of a sheet, beside what was approved before. */
  shown?: readonly Shown[]
}

/** The stored decision about one thing. */
export interface Answered {
  kind: Approval['kind']
  name: string
  root: string
  decision: Decision | 'revoked' | 'unchanged'
  /** Whether exactly these files were approved. */
  isWholeTree?: boolean
  /** The files that the approval covers. */
  files?: string[]
  command?: readonly string[]
  /** What a skill can do. */
  review?: string[]
  approvalId?: string
}

const rootOf = ({ project }: Pick<AnswerRequest, 'project'>) => (typeof project === 'object' ? project.root : project)

/** A person's answers about what may be used on this machine. */
class Answers {
  private readonly machine: Machine

  constructor(machine: Machine) {
    this.machine = machine
  }

  async approve(request: ApproveRequest): Promise<Answered[]> {
    if (request.waiting) {
      const value: Answered[] = []
      const { project, follow } = request
      const packs = request.kind === 'pack' ? new Packs(this.machine, { project }) : undefined
      for (const pack of packs?.all.filter(({ trust }) => trust.isUndecided) ?? []) {
        value.push(answered(await approvePack(this.machine, pack, { project, follow })))
      }
      const skills = packs === undefined ? findWaiting(this.machine, { project: rootOf(request) }) : []
      for (const name of skills) value.push(await this.answerForSkill(name, 'approved', request))
      return value
    }
    const named = this.nameKinds(request)
    if (named.kind === 'adapter') return this.approveAdapters(named)
    if (named.kind === 'rule') return [await this.answerForRule(named, 'approved')]
    if (named.kind === 'skill') return [await this.answerForSkill(named.name ?? '', 'approved', request)]
    const pack = this.answerable(named)
    const { trust, scope, manifest } = pack
    if (trust.state === 'trusted') {
      const facts = { name: packWord(manifest.name), owners: OWNERS[scope] }
      return this.unchanged(pack, report('pack.trust/by-place-pack', facts, { subject: manifest.name }))
    }
    const { follow } = request
    return [answered(await approvePack(this.machine, pack, { project: named.project, follow }))]
  }

  async deny(request: AnswerRequest): Promise<Answered[]> {
    const named = this.nameKinds(request)
    const { machine } = this
    if (named.kind === 'adapter') {
      const { projectRoot: root, views } = this.chosenAdapters(named)
      const value: Answered[] = []
      for (const { id: name } of views) {
        value.push(answered(await machine.approvals.record({ kind: 'adapter', root, name, decision: 'denied' })))
      }
      return value
    }
    if (named.kind === 'rule') return [await this.answerForRule(named, 'denied')]
    if (named.kind === 'skill') {
      const { name = '', project } = named
      const loose = openSkills(machine, machine.openProject(project)).find(requireName(name))
      if (loose === undefined || loose.source === 'library') return [await this.answerForSkill(name, 'denied', request)]
      const root = machine.realFolder(loose.folder)
      return [answered(await machine.approvals.record({ kind: 'skill', root, name, decision: 'denied' }))]
    }
    const pack = this.answerable(named)
    if (pack.trust.state === 'denied') {
      const { name } = pack.manifest
      return this.unchanged(pack, report('pack.trust/denied-again', { name: packWord(name) }, { subject: name }))
    }
    keepApproved(machine, pack)
    return [answered(await machine.approvals.record({ ...packAnswer(pack), decision: 'denied' }))]
  }

  /** Revokes a decision, also for a folder that no longer exists. */
  async revoke(request: AnswerRequest): Promise<Answered[]> {
    const found = this.findAnswers(request)
    for (const each of found) {
      await this.machine.approvals.remove(each)
      if (each.kind === 'pack') keepApproved(this.machine, each)
    }
    return found.map(({ kind, name, root, id }) => ({ kind, name, root, decision: 'revoked', approvalId: id }))
  }

  private nameKinds(request: AnswerRequest): Named {
    const { kind, name, project } = parseWhat(request)
    if (kind === 'adapter' || (kind !== undefined && name !== undefined)) return { kind, name, project }
    if (name === undefined) throw failWith('USAGE/no-choice')
    if (isPackPath(name)) return { kind: 'pack', name, project }
    const layers = { projectRoot: this.machine.openProject(project) }
    try {
      const { value, findings } = this.machine.collect((listening) =>
        locate(listening, { id: name, kinds: ['pack', 'adapter', 'skill'], layers }),
      )
      if (findings.some(isWithheld)) throw ambiguousName(name, [value.kind, 'skill'])
      return { kind: value.kind, name, project }
    } catch (error) {
      if (isWithheld(error)) return { kind: 'skill', name, project }
      throw error
    }
  }

  /** About a skill of the library, or of a project's lock. */
  private async answerForSkill(name: string, decision: Decision, request: ApproveRequest): Promise<Answered> {
    const about = { name, decision, shown: request.shown, project: rootOf(request) }
    const { approval, sheet } = await answerForSkill(this.machine, about)
    return { ...answered(approval), review: sheet.map(describeCapability) }
  }

  private async answerForRule(named: Named, decision: Decision): Promise<Answered> {
    return answered(await answerForRule(this.machine, { name: named.name ?? '', decision, project: rootOf(named) }))
  }

  private async approveAdapters(named: Named): Promise<Answered[]> {
    const { projectRoot, views } = this.chosenAdapters(named)
    const value: Answered[] = []
    const findings: Finding[] = []
    for (const { id, command, pins } of views) {
      if (command === undefined || pins === undefined) continue
      if (pins.problems.length > 0) {
        findings.push(
          report('ADAPTER_NOT_ALLOWED/approval', { id, problems: pins.problems.join('; ') }, { subject: id }),
        )
        continue
      }
      const approval = await this.machine.approvals.record({
        kind: 'adapter',
        root: projectRoot,
        name: id,
        place: placeOf(projectRoot),
        digest: digestOfCommand(command),
        files: pins.files,
        decision: 'approved',
      })
      value.push({ ...answered(approval), command })
    }
    if (value.length === 0) {
      const [first] = findings
      if (first !== undefined) throw retell(first, { message: findings.map(({ message }) => message).join('\n') })
    }
    this.machine.report(...findings)
    return value
  }

  private chosenAdapters({ name, project }: Named) {
    const { projectRoot, views: all } = openAdapters(this.machine, project)
    const running = all.filter(({ command }) => command !== undefined)
    const views = running.filter(({ id }) => name === undefined || id === name)
    if (views.length > 0) return { projectRoot, views }
    const adapter = name === undefined ? 'adapter of this project' : `adapter named ${packWord(name)}`
    const known = running.map(({ id }) => `adapter:${id}`).join(', ') || undefined
    throw failWith('ENTRY_NOT_FOUND/adapter', { adapter, known, settings: known ? undefined : 'loadout.json' })
  }

  /** The pack to decide about. By name: first one without a decision, then one with a decision. */
  private answerable({ name: typed = '', project }: Named): TrustedPack {
    const { catalog } = new Packs(this.machine, { project, packs: [typed] })
    const choice = readChoice(this.machine, typed)
    if (!('name' in choice)) return choosePack(catalog, choice)
    const named = catalog.all.filter(({ manifest }) => manifest.name === choice.name)
    const isAnswered = ({ trust }: TrustedPack) => trust.state !== 'trusted'
    return named.find(({ trust }) => trust.isUndecided) ?? named.find(isAnswered) ?? choosePack(catalog, choice)
  }

  /** By path, then among the visible ones, then among all with a decision. */
  private findAnswers(request: AnswerRequest): Approval[] {
    const { kind, name: typed, project } = parseWhat(request)
    const approvals = this.machine.approvals.require()
    const projectRoot = this.machine.realFolder(this.machine.openProject(project).root)
    const isMine = ({ root }: Approval) => root === projectRoot
    if (typed === undefined) {
      if (kind !== 'adapter') throw failWith('USAGE/no-decision')
      return approvals.filter((each) => each.kind === 'adapter' && isMine(each))
    }
    const choice = readChoice(this.machine, typed)
    const matching = approvals.filter((each) => {
      if (each.kind === 'publisher' || (kind === undefined ? each.kind === 'rule' : each.kind !== kind)) return false
      if (!('name' in choice)) return each.kind === 'pack' && each.root === choice.root
      return each.name === choice.name && (!['adapter', 'rule'].includes(each.kind) || isMine(each))
    })
    const kinds = [
      ...new Set(matching.flatMap(({ kind: found }) => (found === 'publisher' || found === 'rule' ? [] : [found]))),
    ]
    if (kinds.length > 1) throw ambiguousName(typed, kinds)
    const seen = matching.length > 1 ? new Packs(this.machine, { project }).catalog.all : []
    const here = matching.filter(({ root }) => seen.some((pack) => pack.root === root))
    const left = here.length > 0 ? here : matching
    const [found, second] = left
    const name = packWord(typed)
    if (found === undefined) {
      if (kind === 'adapter') throw failWith('ENTRY_NOT_FOUND/decision', { name })
      throw failWith(kind === 'skill' ? 'SKILL_NOT_FOUND/decision' : 'PACK_NOT_FOUND/decision', { name })
    }
    if (second === undefined) return [found]
    throw failWith('AMBIGUOUS_NAME/decisions', {
      typed: name,
      left: left.map(({ root }) => shellWord(root)).join(', '),
    })
  }

  private unchanged({ manifest, root }: TrustedPack, finding: Finding): Answered[] {
    this.machine.report(finding)
    return [{ kind: 'pack', name: manifest.name, root, decision: 'unchanged' }]
  }
}

/** What to decide about. */
interface Named {
  kind: Approval['kind']
  /** Undefined: all of them. */
  name: string | undefined
  project: string | Project | undefined
}

function parseWhat({ what, kind, project }: AnswerRequest) {
  const [, prefix, rest = ''] = /^(pack|adapter|skill|rule):(.*)$/s.exec(what ?? '') ?? []
  const said = (['pack', 'adapter', 'skill', 'rule'] as const).find((each) => each === prefix)
  return said === undefined ? { kind, name: what, project } : { kind: said, name: rest, project }
}

function packAnswer({ root, manifest }: TrustedPack) {
  return { kind: 'pack', root, name: manifest.name } as const
}

function answered({ kind, name, root, decision, files, id }: Approval): Answered {
  const base = { kind, name, root, decision, approvalId: id }
  if (answerFacts({ decision }).denied) return base
  const covered = files === undefined ? {} : { files: Object.keys(files) }
  return kind === 'pack' ? { ...base, isWholeTree: files !== undefined, ...covered } : { ...base, ...covered }
}

const OWNERS: Record<TrustedPack['scope'], string> = {
  explicit: 'your choice',
  workspace: 'the workspace',
  user: 'yours',
  organization: 'your organization',
  'built-in': 'the program',
}

export function approve(machine: Machine, request: ApproveRequest): Promise<Answered[]> {
  return new Answers(machine).approve(request)
}

export function deny(machine: Machine, request: AnswerRequest): Promise<Answered[]> {
  return new Answers(machine).deny(request)
}

export function revoke(machine: Machine, request: AnswerRequest): Promise<Answered[]> {
  return new Answers(machine).revoke(request)
}
