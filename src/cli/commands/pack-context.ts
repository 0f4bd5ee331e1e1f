import { allGaps, isToldElsewhere, isWaiting, newWrappers, toResolverOutput } from '../../display-rules.ts'
import type { Loadout, PackContext, PackRequest } from '../../loadout.ts'
import type { RefusedPack } from '../../packs/rules/gates/trust.ts'
import type { Report } from '../../text/trouble.ts'
import { type Ask, defineCommand, isYes, PROJECT_FLAG } from '../command.ts'
import { alignRows, count, grouped, lines, printableLine, printableText, type Screen, wrap } from '../screen.ts'

export const packsResolve = defineCommand({
  name: 'packs resolve',
  keepsPaths: true,
  summary: 'print what knowledge packs know about a task, fenced as data',
  details:
    'Chooses packs by the task, or those named with --pack. Exits with 3 when you must answer first: an approval or a confirmation is missing.',
  args: [{ name: 'task', summary: 'the task', required: true, rest: 'text' }],
  flags: {
    packs: { name: 'pack', kind: 'list', value: 'name', summary: 'use this pack, by name or folder' },
    budget: { kind: 'number', value: 'tokens', summary: 'maximum size of the text (default: 4000)' },
    cite: { kind: 'switch', summary: 'include the source lines of each statement' },
    deep: { kind: 'switch', summary: 'give sections twice the room' },
    needs: { name: 'need', kind: 'list', value: 'fact', summary: 'report this fact as missing if it is not found' },
    confirmed: {
      name: 'confirm',
      kind: 'list',
      value: 'name',
      summary: 'use this pack even if it is a draft or disputed',
    },
    session: { kind: 'text', value: 'id', summary: 'do not repeat text that this session already has' },
    format: { kind: 'choice', choices: ['text', 'prompt'], summary: 'prompt: only the text for the model' },
    ...PROJECT_FLAG,
  },
  run: async ({ request: { format, ...request }, ask, asJson }, loadout) => {
    const { value, findings } =
      ask === undefined ? await loadout.knowledge.resolvePacks(request) : await resolveAsking(request, ask, loadout)
    const told = asJson ? findings : findings.filter((finding) => !isToldElsewhere(finding, value))
    return { value: { ...value, isPrompt: format === 'prompt' }, findings: told }
  },
  print: (resolved, screen) => {
    const prompt = newWrappers(resolved).map(({ text }) => printableText(text))
    if (resolved.isPrompt) return prompt.join('')
    return explain(resolved, screen) + prompt.map((text) => `\n${text}`).join('')
  },
  toJson: (resolved) => toResolverOutput(resolved),
  isWaiting: ({ refused }) => refused.some(isWaiting),
})

/**
 * Asks about every pack that needs a decision. Stores a clear no, so that Loadout never asks twice. Records only the
 * final answer.
 */
async function resolveAsking(request: PackRequest, ask: Ask, loadout: Loadout): Promise<Report<PackContext>> {
  const confirmed = [...(request.confirmed ?? [])]
  const first = await loadout.knowledge.resolvePacks({ ...request, isRecorded: false })
  for (const refused of first.value.refused.filter(isWaiting)) {
    const answer = ask(question(refused)).trim()
    const asked = { kind: 'pack', what: refused.path, project: request.project } as const
    if (refused.reason === 'confirmation-needed') confirmed.push(...(isYes(answer) ? [refused.name] : []))
    else if (isYes(answer)) await loadout.agents.approve(asked)
    else if (/^no?$/i.test(answer)) await loadout.agents.deny(asked)
  }
  return await loadout.knowledge.resolvePacks({ ...request, confirmed })
}

function question({ message, path, description, reason }: RefusedPack): string {
  const about = wrap(description, 2).map((line) => `${line}\n`)
  const choices = reason === 'confirmation-needed' ? '[y/N]' : '[y: yes, n: never, Enter: not now]'
  return `${printableLine(message)}\n  ${printableLine(path)}\n${about.join('')}Use it? ${choices} `
}

function explain({ active, refused, tokens, budget, auditId }: PackContext, screen: Screen): string {
  if (active.length === 0 && refused.length === 0) {
    return lines('No knowledge pack fits this task.', screen.faint('loadout packs list shows all packs'))
  }
  return lines(
    active.flatMap(({ pack: { manifest, scope, trust }, showsGaps, presented, resolution, isRepeated }) => [
      `${screen.strong(printableLine(manifest.name))}  ${manifest.status}, ${scope}, ${trust.state}, ${grouped(presented.tokens)} tokens`,
      ...(isRepeated ? ['  this session already has it'] : []),
      ...alignRows(
        presented.choices.map(({ path, lines: range, places = [], why }) => {
          const place = range && places.findLast(({ line }) => line <= range.from)?.anchor
          return [`  ${path}`, range === undefined ? 'records' : (place ?? `${range.from}-${range.to}`), why]
        }),
      ),
      ...(allGaps(resolution).length > 0 ? ['  missing'] : []),
      ...(showsGaps && allGaps(resolution).length === 0 ? ['  no known gaps'] : []),
      ...allGaps(resolution).flatMap((fact) => wrap(fact, 4)),
      ...(presented.omitted.length === 0
        ? []
        : [`  left out for lack of room: ${count(presented.omitted.length, 'part')}`]),
    ]),
    active.length === 0 && 'No knowledge pack that fits this task is approved for use.',
    active.length > 0 && '',
    `${grouped(tokens)} of ${grouped(budget)} tokens`,
    auditId !== undefined &&
      active.some(({ presented }) => presented.wrapper !== undefined) &&
      screen.faint(`loadout replay ${auditId} prints the same text again`),
  )
}
