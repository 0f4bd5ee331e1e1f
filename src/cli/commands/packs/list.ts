import type { PackList } from '../../../app/loadout.ts'
import type { Finding } from '../../../domain/shared/finding.ts'
import { textWidth } from '../../../domain/shared/text-width.ts'
import { defineCommand } from '../../command.ts'
import { formatFindings } from '../../findings.ts'
import { WORKSPACE_FLAG } from '../../pack-flags.ts'
import { alignRows, count, lines, printableLine, type Screen, shorten, wrap } from '../../screen.ts'

const LONGEST_NAME = 40
// Less of a description says nothing.
const LEAST_DESCRIPTION = 12

export const packsList = defineCommand({
  name: 'packs list',
  summary: 'every knowledge pack, and whether it may be read',
  details: 'A * marks a pack that another of the same name keeps out.',
  args: [],
  flags: {
    all: { kind: 'switch', summary: 'also what is archived, or kept out by a namesake' },
    format: { kind: 'choice', choices: ['text', 'prompt'], summary: 'prompt: what a model is told about the packs' },
    ...WORKSPACE_FLAG,
  },
  run: async ({ flags }, loadout) => {
    const { value, findings } = await loadout.listPacks({ project: flags.project, all: flags.all ?? false })
    return { value: { ...value, isPrompt: flags.format === 'prompt' }, findings }
  },
  printsFindings: true,
  toJson: ({ isPrompt, ...list }) => list,
  print: (value: PackList & { isPrompt: boolean }, screen, findings) =>
    value.isPrompt ? value.disclosure : listing(value, screen, findings),
})

function listing(value: PackList, screen: Screen, findings: readonly Finding[]): string {
  return (
    lines(
      value.packs.length > 0 ? table(value, screen) : empty(value),
      value.packs.length > 0 && ['', ...wrap(totals(value), 0).map(screen.strong)],
      notes(value, screen),
    ) +
    formatFindings(
      findings.filter(({ code }) => !code.startsWith('catalog.')),
      screen,
    )
  )
}

function table({ packs }: PackList, screen: Screen): string[] {
  const [heading = '', ...rows] = alignRows([
    ['  pack', 'status', 'scope', 'trust'],
    ...packs.map(({ name, isShadowed, status, scope, effectiveTrust }) => [
      `${isShadowed ? '*' : ' '} ${shorten(name, LONGEST_NAME - 2)}`,
      status,
      scope,
      effectiveTrust,
    ]),
  ])
  const start = Math.max(...[heading, ...rows].map(textWidth)) + 2
  const described = rows.map((row, at) => {
    const description = packs[at]?.description ?? ''
    if (80 - start < LEAST_DESCRIPTION || description === '') return row
    return `${row}${' '.repeat(start - textWidth(row))}${shorten(description, 80 - start)}`
  })
  return [screen.faint(heading), ...described]
}

function totals({ packs, waiting, collisions, quarantined, hidden }: PackList): string {
  const parts: [number, string][] = [
    [waiting.length, 'waiting for approval'],
    [collisions.length, 'with a name taken twice'],
    [quarantined.length, 'unreadable'],
    [hidden.archived, 'archived'],
    [hidden.shadowed, 'kept out'],
  ]
  const said = parts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)
  return [count(packs.length, 'pack'), ...said].join(' · ')
}

function notes({ waiting, collisions, quarantined }: PackList, screen: Screen): string[] {
  return [
    ...(waiting.length > FEW_WAITING ? allWaiting(waiting, screen) : []),
    ...(waiting.length > FEW_WAITING ? [] : waiting).flatMap(({ name, scope, trust, wouldShadow, command }) => {
      const why = trust === 'changed' ? 'has changed since it was approved' : 'is not approved'
      const place = wouldShadow ? ', and would take the place of another' : ''
      return [`${shorten(name, LONGEST_NAME)} (${scope}) ${why}${place}:`, screen.faint(`  ${printableLine(command)}`)]
    }),
    ...collisions.map(({ name, winner, shadowed, lowerTrustShadowsHigher }) => {
      const losers = shadowed.map(({ scope }) => scope).join(', ')
      const doubt = lowerTrustShadowsHigher ? ', though one of them claims more trust' : ''
      return `${shorten(name, LONGEST_NAME)}: ${winner.scope} has the name; kept out: ${losers}${doubt}`
    }),
    ...quarantined.flatMap(({ path, reason, line }) => [
      `${printableLine(path)}${line === undefined ? '' : `:${line}`}`,
      `  is no pack: ${printableLine(reason)}`,
    ]),
  ]
}

const FEW_WAITING = 2

function allWaiting(waiting: PackList['waiting'], screen: Screen): string[] {
  const names = waiting.map(({ name }) => shorten(name, LONGEST_NAME)).join(', ')
  return [...wrap(`Not approved: ${names}`, 0), screen.faint('  loadout packs approve <pack>')]
}

function empty({ roots, hidden }: PackList): string[] {
  if (hidden.archived > 0) return [`${count(hidden.archived, 'pack')}, archived: loadout packs list --all`]
  return [
    'There are no knowledge packs. They are looked for in:',
    ...roots.map(({ path }) => `  ${printableLine(path)}`),
  ]
}
